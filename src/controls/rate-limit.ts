import type { Seconds } from "../duration.js";
import { answerOr, keyOf, type ControlContext } from "./control-context.js";
import type { RateLimitOptions } from "./control-options.js";
import { updateValue } from "./shared-value.js";

/** Why a job may not start now. */
export interface Refusal<Payload> {
  readonly by: RateLimitOptions<Payload>;
  /** Until it may. */
  readonly wait: Seconds;
}

/** Counts the starts of an id in windows that begin with the first of them. */
export class RateLimits<Payload> {
  readonly #context: ControlContext;
  readonly #limits: readonly RateLimitOptions<Payload>[];

  constructor(context: ControlContext, limits: readonly RateLimitOptions<Payload>[]) {
    this.#context = context;
    this.#limits = limits;
  }

  /** Counts a start in every limit, or in none (MW-03). @returns what keeps the job from starting; nothing when it may */
  async count(payload: Payload): Promise<Refusal<Payload> | undefined> {
    const counted: RateLimitOptions<Payload>[] = [];
    for (const limit of this.#limits) {
      const wait = await answerOr(this.#context, "rateLimit", limit, () => this.#countOne(limit, payload), undefined);
      if (wait === undefined) {
        counted.push(limit);
        continue;
      }
      for (const one of counted) {
        await answerOr(this.#context, "rateLimit", {}, () => this.#giveBack(one, payload), undefined);
      }
      return { by: limit, wait };
    }
    return undefined;
  }

  /** @returns how long until there is room; nothing when it was counted */
  async #countOne(limit: RateLimitOptions<Payload>, payload: Payload): Promise<Seconds | undefined> {
    let wait: Seconds | undefined;
    await updateValue(this.#context.store, this.#keyOf(limit, payload), (current) => {
      const count = Number(current?.value ?? 0);
      wait = current !== undefined && count >= limit.limit ? current.remaining : undefined;
      if (wait !== undefined) return undefined;
      return { value: (count + 1).toString(), ttl: current?.remaining ?? limit.per };
    });
    return wait;
  }

  async #giveBack(limit: RateLimitOptions<Payload>, payload: Payload): Promise<undefined> {
    await updateValue(this.#context.store, this.#keyOf(limit, payload), (current) => {
      const count = Number(current?.value ?? 0);
      return current === undefined || count === 0
        ? undefined
        : { value: (count - 1).toString(), ttl: current.remaining };
    });
  }

  /** Limits of one queue may have the same id, so each has its numbers in its key. */
  #keyOf(limit: RateLimitOptions<Payload>, payload: Payload): string {
    return keyOf("rateLimit", `${this.#context.queue} ${limit.limit}/${limit.per}`, limit, payload);
  }
}
