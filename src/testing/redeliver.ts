import { setMaxListeners } from "node:events";
import { inspect, isDeepStrictEqual } from "node:util";
import { requireSeconds, type Seconds } from "../duration.js";
import { ConfigurationError, messageOf } from "../errors.js";
import { newJobId } from "../job-id.js";
import type { Step } from "../steps.js";
import type { Job } from "../worker/worker.js";
import { deliveryPlans, type TestMessage } from "./deliveries.js";
import { observed } from "./observed-delivery.js";
import { RedeliveryError, type RedeliveryFinding } from "./testing-errors.js";

export interface RedeliverOptions<Payload, State> {
  /** What the job carries. Each delivery gets a copy of its own. */
  readonly payload: Payload;
  /** Brings the database back to what it was before the job, with sequences that `observe` sees. */
  readonly reset: () => unknown;
  /** Reads what the job is to have changed, such as its rows without times. Equal as values means the same state. */
  readonly observe: () => Promise<State> | State;
  /** The payload of another operation of the same kind, to see that the handler does not take it for the first one. */
  readonly another?: Payload;
  /**
   * For how long a delivery is held for another one that waits for its locks, in seconds. More than the handler takes.
   * Default 0.25.
   */
  readonly patience?: Seconds;
}

/**
 * Delivers a job to a handler in every way in which a queue can deliver it more than once, on the real database, and
 * compares what each leaves with what one clean run leaves: twice in a row, under two job ids, stopped before every
 * statement and around every commit and delivered again, and twice at the same time with the first held before every
 * statement (F14, F15). It sees the transactions of a transaction manager of this package.
 *
 * Needs no test framework: it throws. The database is left as the last delivery left it.
 *
 * @returns the ways in which the job was delivered, as sentences
 * @throws RedeliveryError with everything that was found
 * @throws ConfigurationError when nothing could be learned: no transaction, a clean run that fails or changes nothing
 */
export async function redeliver<Payload, State>(
  handler: (job: Job<Payload>) => unknown,
  { payload, reset, observe, another, patience = 0.25 }: RedeliverOptions<Payload, State>,
): Promise<readonly string[]> {
  requireSeconds(patience, "`patience`");
  const message = (of: Payload) => () => messageTo(handler, of);
  const alone = async (...payloads: readonly Payload[]) => {
    await reset();
    const before = await observe();
    const steps: Step[] = [];
    for (const one of payloads) {
      const run = await observed(() => message(one)().start());
      if (run.failure !== undefined) throw cleanRunFailed(run.failure.cause);
      steps.push(...run.steps);
    }
    return { before, steps, state: await observe() };
  };

  const first = await alone(payload);
  const clean = await alone(payload);
  if (clean.steps.length === 0) throw noTransaction();
  if (isDeepStrictEqual(clean.before, clean.state)) throw nothingObserved();
  if (!isDeepStrictEqual(first.state, clean.state)) {
    const delivery = "delivered once, from the same start";
    throw errorOf(1, [{ delivery, problem: `${differs(first.state, clean.state)}\n${byChance}` }]);
  }

  const findings: RedeliveryFinding[] = [];
  const names: string[] = [];
  const judge = async (delivery: string, expected: State, run: () => Promise<string | undefined>) => {
    names.push(delivery);
    await reset();
    const problem = await run();
    const state = await observe();
    if (problem !== undefined) findings.push({ delivery, problem });
    else if (!isDeepStrictEqual(state, expected)) findings.push({ delivery, problem: differs(expected, state) });
  };

  for (const plan of deliveryPlans(clean.steps, patience)) {
    await judge(plan.name, clean.state, () => plan.run(message(payload)));
  }
  if (another !== undefined) {
    const both = await alone(payload, another);
    const delivery = "followed by another operation";
    names.push(delivery);
    if (isDeepStrictEqual(both.state, clean.state)) {
      findings.push({ delivery, problem: "the other operation changes nothing: it is taken for the first one" });
    }
    await judge("followed by another operation, and both delivered again", both.state, async () => {
      const messages = [message(payload)(), message(another)()];
      for (const one of [...messages, ...messages]) {
        const { failure } = await observed(() => one.start());
        if (failure !== undefined) return `the handler fails (${messageOf(failure.cause)})`;
      }
      return undefined;
    });
  }
  if (findings.length > 0) throw errorOf(names.length, findings);
  return names;
}

function messageTo<Payload>(handler: (job: Job<Payload>) => unknown, payload: Payload): TestMessage {
  const id = newJobId();
  const occurredAt = new Date();
  const { signal } = new AbortController();
  setMaxListeners(0, signal);
  let attempt = 0;
  return {
    start() {
      attempt += 1;
      return handler({ payload: structuredClone(payload), id, attempt, occurredAt, signal });
    },
  };
}

const byChance =
  "Something in it is made by chance or by the clock. If it says which operation this is, make it where the job is " +
  "enqueued: each delivery would be another operation. If it is a time or a sequence, leave it out of `observe`.";

function differs(expected: unknown, found: unknown): string {
  return `one clean run leaves  ${shown(expected)}\nthis leaves           ${shown(found)}`;
}

function shown(state: unknown): string {
  return inspect(state, { depth: 8, breakLength: Infinity, maxArrayLength: 20, maxStringLength: 200, sorted: true });
}

function errorOf(tried: number, findings: readonly RedeliveryFinding[]): RedeliveryError {
  const list = findings.map(({ delivery, problem }) => `\n- ${delivery}:\n${problem.replace(/^/gm, "    ")}`);
  return new RedeliveryError(
    `The handler is not safe to run twice: ${findings.length} of ${tried} ways to deliver its job went wrong.` +
      `${list.join("")}\nLet a unique key decide, in the transaction of the effect: \`ledger.once\` or \`insertOnce\`, ` +
      "with a key that the payload brings.",
    findings,
  );
}

function cleanRunFailed(cause: unknown): ConfigurationError {
  return new ConfigurationError(
    `The handler failed when its job was delivered once, right after \`reset\` (${messageOf(cause)}). See that \`reset\` ` +
      "leaves what the handler needs.",
    cause,
  );
}

function noTransaction(): ConfigurationError {
  return new ConfigurationError(
    "The handler ran no transaction of a transaction manager of aftercommit, so it could not be stopped in the middle " +
      "of one. Its work must run in `transactions.run`.",
  );
}

function nothingObserved(): ConfigurationError {
  return new ConfigurationError(
    "`observe` gives the same before and after the job, so a second effect could not be seen. Let it read what the job " +
      "changes.",
  );
}
