import { AsyncLocalStorage } from "node:async_hooks";
import { observeSteps, type Step, type StepObserver } from "../steps.js";
import { InjectedFailure } from "./testing-errors.js";

const observers = new AsyncLocalStorage<StepObserver>();

/** What happens to a delivery before one of its steps. */
export interface Interruption {
  /** Which step, counted from 0 over all transactions of the handler. */
  readonly before: number;
  /** Lets it wait. */
  readonly hold?: () => Promise<void>;
  /** Ends it. What it tries afterwards fails, too: a dead process commits nothing. */
  readonly fails?: boolean;
}

/** How one run of a handler ended, and the steps that it took. */
export interface Run {
  readonly steps: readonly Step[];
  /** The interruption took place. */
  readonly interrupted: boolean;
  readonly failure: { readonly cause: unknown } | undefined;
}

/** Runs a handler once and watches the steps of its transactions. Never rejects. */
export async function observed(handle: () => unknown, interruption?: Interruption): Promise<Run> {
  observeSteps(observers);
  const steps: Step[] = [];
  let interrupted = false;
  let dead: InjectedFailure | undefined;

  const end = (step: Step, error: InjectedFailure): Promise<never> => {
    if (step.synchronous === true) throw error;
    return Promise.reject(error);
  };

  const observer: StepObserver = (step) => {
    if (dead !== undefined) return end(step, dead);
    const index = steps.push(step) - 1;
    if (interruption === undefined || index !== interruption.before) return undefined;
    interrupted = true;
    const { hold, fails = false } = interruption;
    if (fails && hold === undefined) return end(step, (dead = new InjectedFailure(step)));
    return hold?.().then(() => {
      if (fails) throw (dead = new InjectedFailure(step));
    });
  };

  const failure = await observers.run(observer, async () => {
    try {
      await handle();
      return undefined;
    } catch (cause) {
      return { cause };
    }
  });
  return { steps, interrupted, failure };
}
