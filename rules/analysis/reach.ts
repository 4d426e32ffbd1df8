import type { CallNode } from "./code/node.js";
import type { NotJoined } from "./joining.js";
import type { EntryOf, Known } from "./knowledge.js";
import type { Ref } from "./semantics.js";

interface Reached<Entry> {
  /** The calls that lead there, what is reached itself last. */
  readonly path: readonly CallNode[];
  readonly ref: Ref;
  readonly known: Known<Entry>;
}

/** A dispatch that runs when some code runs. */
export interface ReachedDispatch extends Reached<EntryOf<"dispatches">> {
  /** Why it does not take part in the transaction although its library could. */
  readonly notJoined?: NotJoined;
}

/** Something else that leaves the process when some code runs. */
export type ReachedEffect = Reached<EntryOf<"effects">>;

/** What some code leads to: of each kind the first. */
export interface Reach {
  readonly dispatch?: ReachedDispatch | undefined;
  /** It changes something. */
  readonly effect?: ReachedEffect | undefined;
  /** It only asks, or nobody knows whether it does more. */
  readonly question?: ReachedEffect | undefined;
}

export const reachKinds = ["dispatch", "effect", "question"] as const;

export const nothing: Reach = {};

export function isNothing(reach: Reach): boolean {
  return reachKinds.every((kind) => reach[kind] === undefined);
}

/** What either leads to; where both do, the first counts. */
export function joinedReach(first: Reach, second: Reach): Reach {
  if (isNothing(second)) return first;
  if (isNothing(first)) return second;
  return {
    dispatch: first.dispatch ?? second.dispatch,
    effect: first.effect ?? second.effect,
    question: first.question ?? second.question,
  };
}

/** The same, seen from a call that leads there. */
export function reachThrough(call: CallNode, { dispatch, effect, question }: Reach): Reach {
  const through = <T extends Reached<unknown>>(reached: T | undefined): T | undefined =>
    reached && { ...reached, path: [call, ...reached.path] };
  return { dispatch: through(dispatch), effect: through(effect), question: through(question) };
}
