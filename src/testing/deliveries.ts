import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import type { Seconds } from "../duration.js";
import { messageOf } from "../errors.js";
import type { Step } from "../steps.js";
import { observed, type Interruption, type Run } from "./observed-delivery.js";

/** One message of a queue: each call of `start` is a delivery of it. */
export interface TestMessage {
  start(): unknown;
}

/** A way in which a queue can deliver a job. */
export interface DeliveryPlan {
  readonly name: string;
  /** @returns what is wrong already, whatever state it leaves; or nothing */
  run(message: () => TestMessage): Promise<string | undefined>;
}

/** A queue gives a job up some day. A handler that is right needs two deliveries, or three after a deadlock. */
const mostStarts = 5;

/** Every way in which the job is delivered more than once, for a handler that takes these steps alone. */
export function deliveryPlans(steps: readonly Step[], patience: Seconds): DeliveryPlan[] {
  const names = steps.map((_, index) => nameOf(steps, index));
  const holdable = (step: Step) => step.at !== "after commit" && step.synchronous !== true;
  return [
    {
      name: "delivered twice, one after the other",
      run: async (message) => {
        const one = message();
        return (await completed(one)) ?? (await completed(one));
      },
    },
    {
      name: "asked for twice, under two job ids",
      run: async (message) => (await completed(message())) ?? (await completed(message())),
    },
    ...names.map((name, before) => ({
      name: `stopped ${name}, then delivered again`,
      run: async (message: () => TestMessage) => {
        const one = message();
        return afterFirst(one, await observed(() => one.start(), { before, fails: true }));
      },
    })),
    {
      name: "delivered twice at the same time",
      run: async (message) => {
        const one = message();
        const runs = await Promise.all([observed(() => one.start()), observed(() => one.start())]);
        return afterAll(one, runs);
      },
    },
    ...steps.flatMap((step, before) =>
      holdable(step)
        ? [
            overlap(`the first waits ${names[before] ?? ""} until the second has ended`, { before }, patience),
            ...(step.at === "commit"
              ? [overlap(`the first is stopped ${names[before] ?? ""}`, { before, fails: true }, patience)]
              : []),
          ]
        : [],
    ),
  ];
}

/** The second delivery runs while the first is held; a second that waits for the first's locks ends the holding. */
function overlap(how: string, at: Omit<Interruption, "hold">, patience: Seconds): DeliveryPlan {
  return {
    name: `delivered twice at the same time: ${how}`,
    async run(message) {
      const one = message();
      const held = new AbortController();
      const ended = new AbortController();
      const waits = once(held.signal, "abort");
      const hold = async () => {
        held.abort();
        await sleep(patience * 1000, undefined, { signal: ended.signal }).catch(() => undefined);
      };
      const first = observed(() => one.start(), { ...at, hold });
      // Started from here and not by the hold, whose context is that of the first one's transaction.
      await Promise.race([first, waits]);
      const second = await observed(() => one.start());
      ended.abort();
      return afterAll(one, [await first, second]);
    },
  };
}

async function afterAll(message: TestMessage, runs: readonly Run[]): Promise<string | undefined> {
  for (const run of runs) {
    const problem = await afterFirst(message, run);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

/** Does what a queue does after a run: nothing when it ended well, deliver again when it threw. */
function afterFirst(message: TestMessage, run: Run): Promise<string | undefined> {
  return run.failure === undefined ? Promise.resolve(undefined) : completed(message);
}

/** Delivers until the handler ends well. @returns why it never does */
async function completed(message: TestMessage): Promise<string | undefined> {
  for (let start = 1; ; start += 1) {
    const { failure } = await observed(() => message.start());
    if (failure === undefined) return undefined;
    if (start === mostStarts) {
      return `the handler fails each time it gets the job again (${messageOf(failure.cause)}), so the queue gives it up`;
    }
  }
}

function nameOf(steps: readonly Step[], index: number): string {
  const step = steps[index];
  if (step === undefined) return "";
  const before = steps.slice(0, index);
  const count = (at: Step["at"]) => before.filter((other) => other.at === at).length;
  const several = steps.filter(({ at }) => at === "begin").length > 1;
  const transaction = several ? `transaction ${count("begin") + (step.at === "begin" ? 1 : 0)}` : "the transaction";
  switch (step.at) {
    case "begin":
      return `before ${transaction} begins`;
    case "commit":
      return `before the commit of ${transaction}`;
    case "after commit":
      return `right after the commit of ${transaction}`;
    case "statement": {
      const text = (step.text ?? "").replace(/\s+/g, " ").trim();
      const short = text.length > 60 ? `${text.slice(0, 57)}…` : text;
      return `before statement ${count("statement") + 1}${short === "" ? "" : ` (${short})`}`;
    }
  }
}
