import type { AsyncLocalStorage } from "node:async_hooks";

/** A place in the work of a transaction at which a process can die, or another one come first. */
export interface Step {
  readonly at: "begin" | "statement" | "commit" | "after commit";
  /** Of a statement: its SQL, as far as it is known. */
  readonly text?: string;
  /** The caller cannot wait: it takes no promise, and an error only when it is thrown. */
  readonly synchronous?: boolean;
}

/** Called before each step. It holds the work by a promise and ends it by an error. */
export type StepObserver = (step: Step) => Promise<void> | undefined;

let observers: AsyncLocalStorage<StepObserver> | undefined;

/** For `aftercommit/testing`: has the transactions of code that runs in this storage report their steps. */
export function observeSteps(storage: AsyncLocalStorage<StepObserver>): void {
  observers = storage;
}

/** Does nothing where no test observes. */
export function reach(step: Step): Promise<void> | undefined {
  return observers?.getStore()?.(step);
}
