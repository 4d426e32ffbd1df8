import type { Slot } from "../catalogue/vocabulary.js";
import type { Program } from "./analysis.js";
import { hasArgumentWord } from "./argument-words.js";
import type { CallNode, Node } from "./code/node.js";
import { argumentAt, isCommand } from "./deferral.js";
import { nameOfCallee } from "./effects.js";
import { guardsOf } from "./guards.js";
import { oneOrMore, type EntryOf } from "./knowledge.js";
import { nothing, type Reach } from "./reach.js";
import type { Ref } from "./semantics.js";
import type { Frame } from "./values.js";
import { isAskingName, isAskingUrl, isInstrumentName, speaksOfLimit } from "./words.js";

/** What a call does outside the process by itself: it changes something there, or it only asks. */
export function effectOf(call: CallNode, refs: readonly Ref[], frame: Frame | undefined, program: Program): Reach {
  const { knowledge, semantics, values } = program;
  if (!refs.some((ref) => knowledge.effects.hasName(ref.name))) return nothing;
  for (const known of knowledge.effects.find(refs)) {
    const { entry } = known;
    const ref = refs.find((candidate) => knowledge.effects.find([candidate]).includes(known)) ?? refs[0];
    const isMeant =
      entry.command === undefined || isCommand(call, entry.command, values, (node) => semantics.typesOf(node), frame);
    // `set(key, token, "NX")` takes a lock
    if (!ref || !isMeant || hasArgumentWord(call, entry.unless)) continue;
    const reached = { path: [call], ref, known };
    return isQuestion(call, entry, frame, program) ? { question: reached } : { effect: reached };
  }
  return nothing;
}

/**
 * What a function leads to, whose name says that it only asks or tells those who watch: a POST may ask, a cache may be
 * filled on the way, and a line in a log may be sent. All of them take their time.
 */
export function asAsked(call: CallNode, reach: Reach): Reach {
  const { effect, question, ...rest } = reach;
  const kind = effect?.known.entry.kind;
  const isAsked =
    (kind === "http" && (isAskingName(nameOfCallee(call) ?? "") || isInstrument(call.callee))) ||
    (kind === "cache" && (isAskingName(nameOfCallee(call) ?? "") || speaksOfLimit(textOf(call, call.callee))));
  return isAsked ? { ...rest, question: question ?? effect } : reach;
}

function isQuestion(call: CallNode, entry: EntryOf<"effects">, frame: Frame | undefined, program: Program): boolean {
  if (entry.reads) return true;
  const [first] = call.args;
  // locks and limits in a cache are no copies of rows
  if (entry.kind === "cache")
    return first !== undefined && (speaksOfLimit(textOf(call, first)) || isFilling(call, first, program));
  if (entry.method === undefined) return false;
  if (first && isAskingUrl(textOf(call, first))) return true;
  const methods = oneOrMore(entry.method).map((slot) => methodAt(call, slot, frame, program));
  return !methods.some((method) => method !== undefined && !/^(?:get|head|options|query|trace)$/i.test(method));
}

/** `const hit = await cache.get(key); if (hit) return hit; … await cache.set(key, value)`: who asks fills it. */
function isFilling(call: CallNode, key: Node, program: Program): boolean {
  const { callee } = call;
  return (
    callee.kind === "member" &&
    guardsOf(call, program).some(
      ({ read }) =>
        read.callee.kind === "member" &&
        read.args[0] !== undefined &&
        textOf(call, read.callee.object) === textOf(call, callee.object) &&
        textOf(call, read.args[0]) === textOf(call, key),
    )
  );
}

/** `this.logger.info`, `metrics.increment` */
function isInstrument(callee: Node): boolean {
  if (callee.kind === "name") return isInstrumentName(callee.text);
  return callee.kind === "member" && (isInstrumentName(callee.property ?? "") || isInstrument(callee.object));
}

function textOf({ file }: CallNode, node: { readonly start: number; readonly end: number }): string {
  return file.text.slice(node.start, Math.min(node.end, node.start + 300));
}

/** The method of a request, where it can be read. */
function methodAt(call: CallNode, { argument, path = "" }: Slot, frame: Frame | undefined, { values }: Program) {
  const options = argumentAt(call, argument);
  const settled = options && values.step(values.settle(options, frame), path.split("."));
  return settled?.kind === "other" && settled.node.kind === "literal" && typeof settled.node.value === "string"
    ? settled.node.value
    : undefined;
}
