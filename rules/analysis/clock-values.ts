import type { FileAnalysis } from "./analysis.js";
import { isEventTimeName } from "./calendar-words.js";
import { clocksOf, type OfClock } from "./clock.js";
import { enclosingFunction, type CallNode, type NameNode, type Node, type PropertyNode } from "./code/node.js";
import { nameOfCallee } from "./effects.js";
import { oneOrMore, parseMember, type Knowledge } from "./knowledge.js";
import { occurrences } from "./occurrences.js";
import { originsOf } from "./origin.js";
import { usesOfVariable } from "./uses.js";
import { isEnvelopeName, isIdentityName } from "./words.js";
import { wordsPattern } from "./wrapper-names.js";

/** Something made of the worker's clock that may become an identity. */
export interface ClockValue extends OfClock {
  /** The expression that makes it, for the message. */
  readonly made: Node;
  /** What holds it: the expression, or the uses of a variable that was changed. */
  readonly holders: readonly Node[];
  /** The time of an event whose id is another value's. */
  readonly isTimeOfEvent: boolean;
}

const dayGates = new WeakMap<Knowledge, RegExp>();
/** `today()`, `currentMonth()`; not `validate()`. */
const emptyCall =
  /\b(?:(?:today|yesterday|day|date|month|week|quarter|period|year)\w*|\w*(?:Today|Day|Date|Month|Week|Quarter|Period|Year)\w*)\(\s*\)/;

/** The values of a file that are made of the clock, by the call that reads it. */
export function clockValuesIn(analysis: FileAnalysis): ReadonlyMap<CallNode, readonly ClockValue[]> {
  const values = new Map<CallNode, ClockValue[]>();
  for (const value of [...daysIn(analysis), ...momentsIn(analysis)]) {
    const known = values.get(value.clock);
    if (known) known.push(value);
    else values.set(value.clock, [value]);
  }
  return values;
}

function dayGate(knowledge: Knowledge): RegExp {
  let gate = dayGates.get(knowledge);
  if (!gate) {
    const givers = knowledge.libraries.flatMap(({ clocks = [] }) => clocks.filter(({ gives }) => gives));
    const names = [...knowledge.calendar.names, ...givers.flatMap(({ member }) => oneOrMore(member))];
    dayGates.set(knowledge, (gate = wordsPattern(new Set(names))));
  }
  return gate;
}

/** Days and months: found by the members that make them. */
function daysIn(analysis: FileAnalysis): readonly ClockValue[] {
  const { file, knowledge } = analysis;
  if (!dayGate(knowledge).test(file.text) && !emptyCall.test(file.text)) return [];
  const clocks = clocksOf(analysis);
  const found: ClockValue[] = [];
  for (const call of mayMakeDays(analysis)) {
    const made = outermostOf(call);
    const value = clocks.behind(made);
    if (value?.gives === "day")
      found.push({ ...value, made, holders: holdersOf(call, made, analysis), isTimeOfEvent: false });
  }
  return found;
}

function mayMakeDays({ file, knowledge }: FileAnalysis): readonly CallNode[] {
  const names = new Set([...knowledge.calendar.names].filter((name) => file.text.includes(name)));
  for (const { gives, member } of knowledge.libraries.flatMap(({ clocks = [] }) => clocks))
    if (gives) for (const name of oneOrMore(member)) if (file.text.includes(name)) names.add(name);
  for (const [whole] of file.text.matchAll(new RegExp(emptyCall, "g"))) names.add(whole.slice(0, whole.indexOf("(")));
  // a moment is none yet
  for (const { gives, member } of knowledge.libraries.flatMap(({ clocks = [] }) => clocks))
    if (!gives) for (const each of oneOrMore(member)) names.delete(parseMember(each).name);
  return [...names].flatMap((name) =>
    occurrences(file, name).flatMap((node) =>
      node.parent?.kind === "call" && node.parent.callee === node ? [node.parent] : [],
    ),
  );
}

/** `now.toISOString().slice(0, 10)` and `now.toISOString().split("T")[0]` around `now.toISOString()`. */
function outermostOf(call: CallNode): Node {
  const cut = call.parent?.kind === "member" && call.parent.object === call ? call.parent.parent : undefined;
  const name = cut?.kind === "call" ? nameOfCallee(cut) : undefined;
  if (!cut || name === undefined || !/^(?:slice|substr|substring|split)$/.test(name)) return call;
  return name === "split" && cut.parent?.kind === "member" && cut.parent.index ? cut.parent : cut;
}

/** `today.setHours(0, 0, 0, 0)` makes a day of the variable: what reads it from there on holds one. */
function holdersOf(call: CallNode, made: Node, analysis: FileAnalysis): readonly Node[] {
  const { callee } = call;
  const part = clocksOf(analysis).calendarPartOf(call);
  if (!part?.sets || callee.kind !== "member" || callee.object.kind !== "name") return [made];
  return [made, ...laterUses(callee.object, call, analysis)];
}

function laterUses(name: NameNode, after: Node, { semantics }: FileAnalysis): readonly Node[] {
  const definition = semantics.definitionOfName(name);
  if (definition?.kind !== "variable" || definition.path.length > 0) return [];
  return usesOfVariable(semantics, definition.declarator, [])
    .map(({ node }) => node)
    .filter((node) => node.start > after.end && node.file === after.file);
}

/** Moments to the millisecond: in text that may be a name, as an identity, or as the time of an event. */
function momentsIn(analysis: FileAnalysis): readonly ClockValue[] {
  const clocks = clocksOf(analysis);
  return clocks.readsIn(analysis).flatMap((clock) => {
    const places = placesOf(clock, analysis, 0);
    if (places.length === 0) return [];
    const gives = clocks.readBy(clock);
    if (!gives || gives.gives) return [];
    return places.map((made) => ({
      clock,
      gives: "moment" as const,
      made,
      holders: [made],
      isTimeOfEvent: made.parent?.kind === "property" && isTimeOfEvent(made.parent, analysis),
    }));
  });
}

/** Methods that give the same moment in another form. */
const plain =
  /^(?:toISOString|toJSON|toString|getTime|valueOf|replace|replaceAll|slice|unix|format|toISO|toMillis|toDate)$/;

/** Where a moment stands in a text, or as a property that tells an identity or a time; before anything is asked of types. */
function placesOf(node: Node, analysis: FileAnalysis, depth: number): readonly Node[] {
  let current = node;
  for (let { parent } = node; parent; { parent } = current) {
    switch (parent.kind) {
      case "member":
        if (parent.object !== current || !plain.test(parent.property ?? "")) return [];
        break;
      case "call":
        if (parent.callee !== current) return [];
        break;
      case "template":
        return parent.tag ? [] : [parent];
      case "binary":
        return parent.operator === "+" && [parent.left, parent.right].some(isText) ? [parent] : [];
      case "property":
        return (isIdentityName(parent.key ?? "") && depth === 0) || isTimeOfEvent(parent, analysis) ? [current] : [];
      case "declarator": {
        const { target, isConst } = parent;
        if (depth > 0 || !isConst || target.kind !== "name") return [];
        const scope = enclosingFunction(parent);
        return occurrences(parent.file, target.text).flatMap((use) =>
          use.kind === "name" && use !== target && scope && scope.start < use.start && use.end < scope.end
            ? placesOf(use, analysis, depth + 1)
            : [],
        );
      }
      default:
        return [];
    }
    current = parent;
  }
  return [];
}

function isText(node: Node): boolean {
  return (
    node.kind === "template" ||
    (node.kind === "literal" && typeof node.value === "string") ||
    (node.kind === "binary" && node.operator === "+" && [node.left, node.right].some(isText))
  );
}

/** `{ id: job.data.eventId, type: "paid", timestamp: new Date() }`: one event at two times. */
function isTimeOfEvent({ key, parent }: PropertyNode, analysis: FileAnalysis): boolean {
  if (!isEventTimeName(key ?? "") || parent?.kind !== "object") return false;
  const id = parent.properties.find((property) => isEnvelopeName(property.key ?? ""))?.value;
  const isEvent = parent.properties.some((property) =>
    /^(?:event_?)?(?:type|name)$|^event$|^action$/i.test(property.key ?? ""),
  );
  return isEvent && (id?.kind === "name" || id?.kind === "member") && !originsOf(analysis).isRandom(id);
}
