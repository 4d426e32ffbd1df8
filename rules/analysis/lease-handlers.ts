import type { HandlerElsewhere, HandlerTime, Slot } from "../catalogue/vocabulary.js";
import type { Program } from "./analysis.js";
import { carriersOf } from "./carriers.js";
import { childrenOf, contains, enclosingFunction, type ClassNode, type FunctionNode, type Node } from "./code/node.js";
import { timeOf, timeOfFunction, type Time } from "./deadline.js";
import { functionArguments } from "./deferral.js";
import { nameOfCallee } from "./effects.js";
import { givenAt, type GivenValue } from "./given.js";
import { oneOrMore } from "./knowledge.js";
import type { Anchor } from "./lease-reach.js";
import type { LeaseSettings, Side } from "./lease-settings.js";
import { sumOf, type Part } from "./limit.js";
import { callsIn, isMadeFrom, mentionsName } from "./mention.js";
import { occurrences } from "./occurrences.js";
import type { Frame, Settled } from "./values.js";

type Closure = Extract<Settled, { kind: "closure" }>;

/** The time that the handlers of an anchor take: the longest. `"renewed"`: a handler renews its lease while it works. */
export function handlerTime(
  anchor: Anchor,
  wanted: HandlerTime,
  settings: LeaseSettings,
  program: Program,
): Side | "renewed" | undefined {
  const renewedBy = oneOrMore(anchor.pair.renewedBy);
  if (wanted.handler === "what follows") {
    const rest = following(anchor.node);
    const isBatch = (iterated: Node) => isMadeFrom(iterated, anchor.node, program.semantics);
    const time = timeOf(rest, undefined, program, optionsFor(anchor, wanted, settings, isBatch));
    // a pause between two receives is no work on a job
    const side = sideOf(time.parts.filter((part) => !part.isWait));
    return side && renews([anchor.node.file.root, ...rest], renewedBy, program) ? "renewed" : side;
  }
  const sides: Side[] = [];
  let isRenewed = false;
  for (const closure of handlersOf(anchor, wanted, settings, program)) {
    const { fn, self, frame: up } = closure;
    const frame: Frame = { fn, args: undefined, self, up };
    const isBatch = (iterated: Node, inner: Frame | undefined) => isFirstParameter(iterated, inner, fn, program);
    const time = timeOfFunction(closure, frame, program, optionsFor(anchor, wanted, settings, isBatch));
    const side = wanted.isInterval ? intervalOf(time.read, renewedBy, frame, program, settings) : sideOf(time.parts);
    if (!side) continue;
    if (!wanted.isInterval && renews(fn.body ? [fn.body] : [], renewedBy, program)) isRenewed = true;
    else sides.push(side);
  }
  const [longest] = sides.toSorted((a, b) => b.ms - a.ms);
  return longest ?? (isRenewed ? "renewed" : undefined);
}

/** Names of functions that cannot be read and may well renew a lease. */
const soundsLikeRenewal = /heart_?beat|extend|renew|prolong|keep_?alive|visibility/i;

/** Whether code renews the lease, or a function or class of the project that it uses: a heartbeat is often started aside. */
function renews(nodes: readonly Node[], names: readonly string[], program: Program, depth = 0): boolean {
  if (names.length === 0) return false;
  if (nodes.some((node) => mentionsName(node, names))) return true;
  if (depth >= 3) return false;
  const used: Node[] = [];
  for (const call of nodes.flatMap(callsIn)) {
    const { callee } = program.effects.calledBy(call, undefined);
    if (callee.kind === "class") used.push(callee.node);
    else if (callee.kind === "closure" && callee.fn.body) used.push(callee.fn.body);
    else if (soundsLikeRenewal.test(nameOfCallee(call) ?? "")) return true;
  }
  return used.length > 0 && renews([...new Set(used)], names, program, depth + 1);
}

function sideOf(all: readonly Part[]): Side | undefined {
  const parts = merged(all);
  const [largest] = parts.toSorted((a, b) => b.ms * b.times - a.ms * a.times);
  return largest && { ms: sumOf(parts), node: largest.node, name: largest.label, parts };
}

/** A limit that is met several times counts so often. */
function merged(parts: readonly Part[]): readonly Part[] {
  const byNode = new Map<Node, Part>();
  for (const part of parts) {
    const known = byNode.get(part.node);
    byNode.set(part.node, known && known.ms === part.ms ? { ...known, times: known.times + part.times } : part);
  }
  const total = [...byNode.values()];
  // the same place with other values: each is told
  return sumOf(total) === sumOf(parts) ? total : parts;
}

function optionsFor(
  anchor: Anchor,
  wanted: HandlerTime,
  settings: LeaseSettings,
  isBatch: (iterated: Node, frame: Frame | undefined) => boolean,
) {
  return {
    endedBy: oneOrMore(anchor.pair.endedBy),
    timesOver: (iterated: Node, frame: Frame | undefined) => {
      if (!wanted.batch || !isBatch(iterated, frame)) return undefined;
      const size = settings.number(anchor, wanted.batch.at, wanted.batch.size);
      return typeof size === "number" ? size : size === "unknown" ? 1 : wanted.batch.default;
    },
  };
}

/** Whether a loop runs over what the handler is given. */
function isFirstParameter(iterated: Node, frame: Frame | undefined, handler: FunctionNode, program: Program): boolean {
  const settled = program.values.settle(iterated, frame);
  if (settled.kind === "parameter") return settled.fn === handler && settled.index === 0;
  return iterated.kind === "member" && isFirstParameter(iterated.object, frame, handler, program);
}

/** The code that runs after the statement of a call, up to the end of the function or of the round of a loop. */
function following(node: Node): readonly Node[] {
  const rest: Node[] = [];
  for (let inner = node, outer = node.parent; outer; inner = outer, outer = outer.parent) {
    if (outer.kind === "function") break;
    if (outer.kind === "loop") {
      // `for (const message of await receive())`
      if (outer.iterated && contains(outer.iterated, inner)) rest.push(outer);
      else break;
    } else if (outer.kind === "block") {
      rest.push(...outer.body.slice(outer.body.indexOf(inner) + 1));
    }
  }
  return rest;
}

function handlersOf(
  anchor: Anchor,
  wanted: HandlerTime,
  settings: LeaseSettings,
  program: Program,
): readonly Closure[] {
  const { handler, method } = wanted;
  if (handler === "what follows") return [];
  if (handler === "decorated method") {
    const { decorated } = anchor;
    if (decorated?.kind === "class") return method === undefined ? [] : methodOf(decorated, method, program);
    return decorated?.kind === "function"
      ? [{ kind: "closure", fn: decorated, frame: undefined, self: undefined }]
      : [];
  }
  if ("routeOf" in handler) return routesOf(anchor, handler.routeOf, settings, program);
  if ("memberOfResult" in handler) return membersOfResult(anchor, handler, program);
  return functionsAt(anchor.args, handler, method, program);
}

function functionsAt(
  args: readonly Node[],
  slots: Slot | readonly Slot[],
  method: string | undefined,
  program: Program,
): readonly Closure[] {
  return givenAt(args, undefined, slots, program.values).flatMap((given) =>
    given.kind === "given" ? functionAt(given, method, program) : [],
  );
}

function functionAt(given: GivenValue, method: string | undefined, program: Program): readonly Closure[] {
  const settled = program.values.settle(given.value, given.frame);
  if (settled.kind === "closure") return [settled];
  // a library's wrapper runs what it is given: `Sentry.wrap(handler)`
  if (settled.kind === "other" && settled.node.kind === "call" && !settled.node.isNew) {
    return functionArguments(settled.node, (node) => program.values.settle(node, settled.frame)).map(
      ({ value }) => value,
    );
  }
  return settled.kind === "class" && method !== undefined ? methodOf(settled.node, method, program) : [];
}

function methodOf(owner: ClassNode, name: string, program: Program): readonly Closure[] {
  const fn = program.semantics.methodOf(owner, name);
  return fn ? [{ kind: "closure", fn, frame: undefined, self: undefined }] : [];
}

/** The functions behind the path of a URL. */
function routesOf(
  anchor: Anchor,
  url: Slot | readonly Slot[],
  settings: LeaseSettings,
  program: Program,
): readonly Closure[] {
  const paths = givenAt(anchor.args, undefined, url, program.values).flatMap((given) =>
    given.kind === "given" ? (pathOf(given, settings) ?? []) : [],
  );
  if (paths.length === 0) return [];
  return program.knowledge.libraries.flatMap((library) =>
    (library.routes ?? []).flatMap((route) =>
      carriersOf(program)
        .everywhere(route.member, library, anchor.node.file)
        .flatMap(({ args }) => {
          const [given] = givenAt(args, undefined, route.path, program.values);
          const path = given?.kind === "given" ? program.values.constant(given.value, given.frame)?.value : undefined;
          return typeof path === "string" &&
            path.length > 1 &&
            paths.some((candidate) => candidate === path || candidate.endsWith(path))
            ? functionsAt(args, { argument: route.handler }, undefined, program)
            : [];
        }),
    ),
  );
}

/** The functions that a call's result offers by name. */
function membersOfResult(
  anchor: Anchor,
  elsewhere: Extract<HandlerElsewhere, { memberOfResult: unknown }>,
  program: Program,
): readonly Closure[] {
  return membersUsed(anchor.node, program).flatMap((name): readonly Closure[] => {
    const declared = program.semantics.definitionOfProperty(anchor.node, name);
    if (declared?.kind === "function") return [{ kind: "closure", fn: declared.fn, frame: undefined, self: undefined }];
    if (declared?.kind === "property") return closureOf(program.values.settle(declared.property.value, undefined));
    return carriersOf(program)
      .everywhere(elsewhere.memberOfResult, anchor.library, anchor.node.file)
      .flatMap(({ args }) => givenAt(args, undefined, elsewhere.slot, program.values))
      .flatMap((given) => (given.kind === "given" && given.name === name ? functionAt(given, undefined, program) : []));
  });
}

function closureOf(settled: Settled): readonly Closure[] {
  return settled.kind === "closure" ? [settled] : [];
}

/** The members of a call's result that are used: taken out by a pattern, or by name of the variable that holds it. */
function membersUsed(call: Node, program: Program): readonly string[] {
  const declarator = call.parent;
  if (declarator?.kind !== "declarator") return [];
  if (declarator.target.kind === "pattern")
    return declarator.target.entries.flatMap(({ key }) => (typeof key === "string" ? [key] : []));
  if (declarator.target.kind !== "name") return [];
  const scope = enclosingFunction(declarator) ?? declarator.file.root;
  const names = occurrences(declarator.file, declarator.target.text).flatMap((use) => {
    if (
      !contains(scope, use) ||
      use.kind !== "name" ||
      use.parent?.kind !== "member" ||
      use.parent.object !== use ||
      use.parent.property === undefined
    )
      return [];
    const definition = program.semantics.definitionOfName(use);
    return definition?.kind === "variable" && definition.declarator === declarator ? [use.parent.property] : [];
  });
  return [...new Set(names)];
}

/** The path of a URL, where it is constant: the last part of `` `${base}/tasks/export` ``. */
function pathOf(given: GivenValue, settings: LeaseSettings): string | undefined {
  const whole = settings.durations.text(given.value, given.frame);
  const text =
    whole ??
    (given.value.kind === "template"
      ? given.value.strings.at(-1)
      : given.value.kind === "binary"
        ? settings.durations.text(given.value.right, given.frame)
        : undefined);
  const path = text?.replace(/^[a-z]+:\/\/[^/]*/i, "").replace(/[?#].*$/, "");
  return path !== undefined && path.startsWith("/") && path.length > 1 ? path : undefined;
}

/** How often a renewal runs: by a timer, or once in each round of a loop. */
function intervalOf(
  read: Time["read"],
  names: readonly string[],
  frame: Frame,
  program: Program,
  settings: LeaseSettings,
): Side | undefined {
  for (const fn of read) {
    const inner: Frame = fn === frame.fn ? frame : { fn, args: undefined, self: undefined, up: undefined };
    for (const node of within(fn)) {
      if (node.kind === "call" && nameOfCallee(node) === "setInterval") {
        const [callback, period] = node.args;
        const ms =
          callback && period && mentionsName(callback, names)
            ? settings.durations.inMs(period, inner, "ms")
            : undefined;
        if (ms !== undefined && period) return { ms, node: period, name: "setInterval" };
      }
      if (node.kind === "loop" && mentionsName(node.body, names)) {
        const { parts } = timeOf([node.body], inner, program, { endedBy: [], timesOver: () => undefined });
        const side = sideOf(parts);
        if (side) return side;
      }
    }
  }
  return undefined;
}

function within(node: Node): Node[] {
  return [node, ...childrenOf(node).flatMap(within)];
}
