import { answerOr, keyOf, type ControlContext } from "./control-context.js";
import type { WithoutOverlappingOptions } from "./control-options.js";
import { Lock } from "./lock.js";

/** One run of an id at a time. Each run has a token of its own: two deliveries of one job exclude each other, too. */
export class OverlapLocks<Payload> {
  readonly #context: ControlContext;
  readonly #options: WithoutOverlappingOptions<Payload>;

  constructor(context: ControlContext, options: WithoutOverlappingOptions<Payload>) {
    this.#context = context;
    this.#options = options;
  }

  /** @returns what gives the lock back; nothing when another run has it */
  async take(payload: Payload): Promise<(() => Promise<unknown>) | undefined> {
    const { group = this.#context.queue, for: ttl } = this.#options;
    const lock = new Lock(this.#context.store, keyOf("withoutOverlapping", group, this.#options, payload), {
      for: ttl,
    });
    const isTaken = await answerOr(this.#context, "withoutOverlapping", this.#options, () => lock.acquire(), true);
    if (!isTaken) return undefined;
    return () => answerOr(this.#context, "withoutOverlapping", {}, () => lock.release(), false);
  }
}
