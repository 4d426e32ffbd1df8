import type { DurationSetting, HandlerTime, LeasePair, Library } from "../catalogue/vocabulary.js";
import type { FileAnalysis, Program } from "./analysis.js";
import { carriersOf } from "./carriers.js";
import { packagesIn } from "./packages-in-play.js";
import type { CodeFile, Node } from "./code/node.js";
import { childrenOf } from "./code/node.js";
import { isBefore } from "./installed-version.js";
import { oneOrMore } from "./knowledge.js";
import { handlerTime } from "./lease-handlers.js";
import type { Anchor } from "./lease-reach.js";
import { LeaseSettings, type Side } from "./lease-settings.js";

/** A pair of durations that do not go together. */
export interface LeaseProblem {
  readonly kind: "too long" | "renewed late" | "too short" | "too close";
  readonly library: Library;
  readonly pair: LeasePair;
  /** Where a person changes it: the timeout where it stands in this file, else the lease, else what both belong to. */
  readonly node: Node;
  readonly timeout: Side;
  readonly lease: Side;
}

/** The problems of a file: those of the pairs that are found from a place in it. */
export function leaseProblems(analysis: FileAnalysis, options: { readonly margin: boolean }): readonly LeaseProblem[] {
  const settings = new LeaseSettings(analysis);
  const found: LeaseProblem[] = [];
  for (const anchor of anchorsIn(analysis)) {
    for (const problem of problemsAt(anchor, settings, analysis, options.margin)) {
      // several pairs may be about one limit: the first says it
      if (!found.some((other) => other.node === problem.node)) found.push(problem);
    }
  }
  return found;
}

/** Two durations that belong together, as far as they can be read. */
export interface LeaseRead {
  readonly library: Library;
  readonly pair: LeasePair;
  readonly node: Node;
  readonly timeout: Side | undefined;
  readonly lease: Side | undefined;
}

/** Every pair that is found from a place in a file, whether or not something is wrong with it. */
export function leasesIn(analysis: FileAnalysis): readonly LeaseRead[] {
  const settings = new LeaseSettings(analysis);
  return anchorsIn(analysis).flatMap((anchor) => {
    if (!isMeant(anchor, settings)) return [];
    const { library, pair, node } = anchor;
    const timeouts = sidesOf(anchor, oneOrMore(pair.timeout), settings, analysis) ?? [];
    const leases = sidesOf(anchor, oneOrMore(pair.lease), settings, analysis) ?? [];
    return [{ library, pair, node, timeout: longest(timeouts), lease: shortest(leases) }];
  });
}

function isMeant(anchor: Anchor, settings: LeaseSettings): boolean {
  const { pair } = anchor;
  return (
    !(pair.before && !isBefore(pair.before, anchor.node.file.path)) &&
    oneOrMore(pair.when).every((condition) => settings.holds(anchor, condition) === true) &&
    oneOrMore(pair.unless).every((condition) => settings.holds(anchor, condition) === false)
  );
}

function longest(sides: readonly Side[] | undefined): Side | undefined {
  return sides?.toSorted((a, b) => b.ms - a.ms)[0];
}

function shortest(sides: readonly Side[] | undefined): Side | undefined {
  return sides?.toSorted((a, b) => a.ms - b.ms)[0];
}

function problemsAt(
  anchor: Anchor,
  settings: LeaseSettings,
  program: Program,
  wantsMargin: boolean,
): readonly LeaseProblem[] {
  const { pair } = anchor;
  if (!isMeant(anchor, settings)) return [];
  const timeouts = sidesOf(anchor, oneOrMore(pair.timeout), settings, program);
  const leases = timeouts && sidesOf(anchor, oneOrMore(pair.lease), settings, program);
  const tooShort = [...(timeouts ?? []), ...(leases ?? [])].filter(({ ms, node, setting }) => {
    const { atLeast } = setting ?? {};
    return node !== undefined && atLeast !== undefined && ms < atLeast.ms && (wantsMargin || !atLeast.isAdvice);
  });
  if (tooShort.length > 0)
    return tooShort.map((side) => ({
      kind: "too short" as const,
      library: anchor.library,
      pair,
      node: side.node ?? anchor.node,
      timeout: side,
      lease: side,
    }));
  const timeout = longest(timeouts);
  const lease = shortest(leases);
  // two defaults are the library's business
  if (!timeout || !lease || (!timeout.node && !lease.node)) return [];
  const kind =
    judge(pair, timeout, lease) ??
    (wantsMargin && isTooClose(anchor, timeout, lease, settings) ? "too close" : undefined);
  return kind ? [{ kind, library: anchor.library, pair, node: placeOf(anchor, timeout, lease), timeout, lease }] : [];
}

function judge(pair: LeasePair, timeout: Side, lease: Side): LeaseProblem["kind"] | undefined {
  if (timeout.ms > lease.ms || (timeout.ms === lease.ms && !pair.equalIsFine)) return "too long";
  return pair.as === "renewal" && timeout.ms > lease.ms / 2 ? "renewed late" : undefined;
}

function isTooClose({ pair, ...anchor }: Anchor, timeout: Side, lease: Side, settings: LeaseSettings): boolean {
  if (!pair.margin) return false;
  const [plus] = pair.margin.plus ? settings.read({ pair, ...anchor }, pair.margin.plus).sides : [];
  return pair.margin.times * timeout.ms + (plus?.ms ?? 0) > lease.ms;
}

/** The values of the first setting that is set, each where it is; `undefined` where one is not constant. */
function sidesOf(
  anchor: Anchor,
  sources: readonly (DurationSetting | HandlerTime)[],
  settings: LeaseSettings,
  program: Program,
): readonly Side[] | undefined {
  const sides: Side[] = [];
  const sights = new Set<string | undefined>();
  for (const source of sources) {
    if ("handler" in source) {
      const time = handlerTime(anchor, source, settings, program);
      if (time === "renewed") return undefined;
      if (time) return [...sides, time];
      continue;
    }
    const read = settings.read(anchor, source);
    sides.push(...read.sides);
    sights.add(read.sight);
    if (read.isUnknown && sides.length === 0) return undefined;
    if (read.isPassedOn) continue;
    if (!read.isOpen) return sides;
    if (source.default === undefined) continue;
    const isElsewhere = read.hidden || (sights.has("nowhere") && !sights.has("seen"));
    if (!isElsewhere) sides.push({ ms: source.default, node: undefined, name: undefined, setting: source });
    return sides.length > 0 ? sides : undefined;
  }
  return sides;
}

function placeOf(anchor: Anchor, timeout: Side, lease: Side): Node {
  const { file } = anchor.node;
  const parts = (timeout.parts ?? [])
    .filter(({ node }) => node.file === file)
    .toSorted((a, b) => b.ms * b.times - a.ms * a.times);
  return [timeout.node, parts[0]?.node, lease.node].find((node) => node?.file === file) ?? anchor.node;
}

function anchorsIn(analysis: FileAnalysis): readonly Anchor[] {
  const carriers = carriersOf(analysis);
  return analysis.knowledge.libraries.flatMap((library) => {
    const pairs = (library.leases ?? []).filter((pair): pair is LeasePair => "at" in pair);
    if (pairs.length === 0 || !carriers.uses(library)) return [];
    return pairs.flatMap((pair) => anchorsOf(pair, library, analysis.file, analysis));
  });
}

function anchorsOf(pair: LeasePair, library: Library, file: CodeFile, program: Program): readonly Anchor[] {
  const { at } = pair;
  if ("extends" in at) {
    if (!file.text.includes(at.extends)) return [];
    return within(file.root)
      .filter(
        (node) =>
          node.kind === "class" &&
          node.superClass !== undefined &&
          program.semantics.isOfLibrary(node, library.packages),
      )
      .map((node) => ({ pair, library, node, args: [], decorated: undefined }));
  }
  if ("annotated" in at) {
    const names = oneOrMore(at.annotated);
    if (!names.some((name) => file.text.includes(name))) return [];
    return within(file.root).flatMap((node) =>
      node.kind === "declarator" &&
      node.init &&
      packagesIn(file).has(library.packages[0] ?? "") &&
      names.includes(node.type?.path.at(-1) ?? "")
        ? [{ pair, library, node, args: [node.init], decorated: undefined }]
        : [],
    );
  }
  return carriersOf(program)
    .in(file, at.call, library)
    .filter(({ args }) => isEvent(args, at.event, program))
    .map((carrier) => ({ pair, library, ...carrier }));
}

function isEvent(
  args: readonly Node[],
  event: { readonly argument: number; readonly oneOf: readonly string[] } | undefined,
  program: Program,
): boolean {
  const argument = event && args[event.argument];
  if (!event) return true;
  const constant = argument && program.values.constant(argument, undefined);
  return typeof constant?.value === "string" && event.oneOf.includes(constant.value);
}

function within(node: Node): Node[] {
  return [node, ...childrenOf(node).flatMap(within)];
}
