import { AftercommitError } from "../errors.js";
import type { Step } from "../steps.js";

/** What the test kit throws inside a handler where it stops a delivery, as a lost connection or a dead process would. */
export class InjectedFailure extends AftercommitError {
  /** @internal Made by the kit. */
  constructor({ at }: Step) {
    super("The test kit stopped the handler here, as if its process had died.", {
      code: "AFTERCOMMIT_INJECTED_FAILURE",
      state: at === "after commit" ? "committed" : "rolled back",
    });
  }
}

/** What was wrong with one way of delivering a job. */
export interface RedeliveryFinding {
  /** How the job was delivered, as a sentence. */
  readonly delivery: string;
  readonly problem: string;
}

/** A handler leaves something else than one clean run when its job is delivered more than once. For tests. */
export class RedeliveryError extends AftercommitError {
  readonly findings: readonly RedeliveryFinding[];

  constructor(message: string, findings: readonly RedeliveryFinding[]) {
    super(message, { code: "AFTERCOMMIT_NOT_REPEAT_SAFE", state: "committed" });
    this.findings = findings;
  }
}

/** Something left the process while a transaction was open (EX-10): a rollback cannot take it back. */
export class EffectInTransactionError extends AftercommitError {
  /** What it was, such as `POST https://api.example/charges`. */
  readonly effect: string;

  constructor(effect: string) {
    super(
      `${effect} was called while a transaction is open: a rollback does not take it back, the receiver can be faster ` +
        "than the commit, and the transaction holds its locks while it waits. It was not sent. Do it after the commit " +
        "(`tx.afterCommit`), or enqueue a job that does it.",
      { code: "AFTERCOMMIT_EFFECT_IN_TRANSACTION", state: "nothing written" },
    );
    this.effect = effect;
  }
}
