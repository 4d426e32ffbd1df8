/**
 * `unique` against a model, in sequences that a search finds, with time in the test's hands: jobs that take long, fail and
 * are tried again, transactions that roll back, locks that expire or are lost.
 */
import fc from "fast-check";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { JobId } from "../../src/job-id.js";
import type { Job } from "../../src/worker/worker.js";
import { pass, Setting, sleep, type Payload } from "./setting.js";

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

/** How long a lock lives, in seconds. Jobs that stand behind others for longer lose theirs. */
const ttl = 40;

type Step =
  /** A job that takes so many seconds, and fails in each of its two tries, or in none. */
  | { readonly do: "ask"; readonly product: string; readonly takes: number; readonly fails: boolean }
  | { readonly do: "ask and roll back"; readonly product: string }
  | { readonly do: "wait"; readonly seconds: number }
  | { readonly do: "lose" };

const product = fc.constantFrom("desk", "chair");
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant("ask" as const),
      product,
      takes: fc.constantFrom(0, 1, 7, 25),
      fails: fc.boolean(),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("ask and roll back" as const), product }) },
  { weight: 4, arbitrary: fc.record({ do: fc.constant("wait" as const), seconds: fc.constantFrom(1, 3, 8, 45) }) },
  { weight: 1, arbitrary: fc.constant<Step>({ do: "lose" }) },
);

/** Who has the lock of which product, by what a lock is said to be. */
class Model {
  readonly #holders = new Map<string, { readonly id: JobId; readonly until: number }>();
  readonly #mode: "processed" | "processing";

  constructor(mode: "processed" | "processing") {
    this.#mode = mode;
  }

  holder(of: string): JobId | undefined {
    const holder = this.#holders.get(of);
    return holder !== undefined && holder.until > Date.now() ? holder.id : undefined;
  }

  takes(of: string, id: JobId): void {
    this.#holders.set(of, { id, until: Date.now() + ttl * 1000 });
  }

  starts(job: Job<Payload>): void {
    if (this.#mode === "processing") this.#frees(job);
  }

  ends(job: Job<Payload>): void {
    this.#frees(job);
  }

  loses(): void {
    this.#holders.clear();
  }

  #frees({ id, payload }: Job<Payload>): void {
    if (this.holder(payload.product) === id) this.#holders.delete(payload.product);
  }
}

test.each(["processed", "processing"] as const)(
  "until %s: a request is left out exactly while another job holds the lock, and the receipt names that job",
  async (mode) => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 25 }), async (history) => {
        const setting = new Setting();
        const model = new Model(mode);
        const fails = new Set<JobId>();
        const queue = setting.define(
          { unique: { id: (payload) => payload.product, for: ttl, until: mode } },
          { tries: 2, backoff: [5] },
        );
        await setting.start(
          queue,
          async (job) => {
            model.starts(job);
            await sleep(job.payload.n ?? 0);
            if (!fails.has(job.id) || job.attempt === 2) model.ends(job);
            if (fails.has(job.id)) throw new Error("no");
          },
          2,
        );
        for (const one of history) {
          if (one.do === "wait") await pass(one.seconds);
          else if (one.do === "lose") {
            setting.flush();
            model.loses();
          } else if (one.do === "ask and roll back") {
            const run = setting.transactions.run(async (tx) => {
              await queue.enqueue(tx, { product: one.product });
              throw new Error("no");
            });
            await expect(run).rejects.toThrow("no");
          } else {
            const existing = model.holder(one.product);
            const receipt = await setting.dispatch(queue, { product: one.product, n: one.takes });
            expect([receipt.outcome, receipt.existing]).toEqual(
              existing === undefined ? ["enqueued", undefined] : ["deduplicated", existing],
            );
            if (existing === undefined) model.takes(one.product, receipt.id);
            if (one.fails) fails.add(receipt.id);
          }
          await pass(0.001);
        }
        expect(setting.errors).toEqual([]);
        await setting.close();
      }),
      { numRuns: 150 },
    );
  },
);
