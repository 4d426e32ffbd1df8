import type { Seconds } from "../duration.js";
import { answerOr, keyOf, type ControlContext } from "./control-context.js";
import type { ThrottleErrorsOptions } from "./control-options.js";
import { updateValue, type Next } from "./shared-value.js";

/** What is known of the errors of an id when one of its jobs is to start. */
export interface ErrorCount {
  /** How long no job of the id may start; nothing when it may. */
  readonly wait: Seconds | undefined;
  /** There were errors, so a success has something to forget. */
  readonly any: boolean;
}

/** Counts the errors of an id in windows that begin with the first of them. */
export class ErrorThrottle<Payload> {
  readonly #context: ControlContext;
  readonly #options: ThrottleErrorsOptions<Payload>;

  constructor(context: ControlContext, options: ThrottleErrorsOptions<Payload>) {
    this.#context = context;
    this.#options = options;
  }

  look(payload: Payload): Promise<ErrorCount> {
    const look = async () => {
      const current = await this.#context.store.read(this.#keyOf(payload));
      const isFull = Number(current?.value ?? 0) >= this.#options.after;
      return { wait: isFull ? current?.remaining : undefined, any: current !== undefined };
    };
    return answerOr(this.#context, "throttleErrors", this.#options, look, { wait: undefined, any: false });
  }

  failed(payload: Payload): Promise<unknown> {
    return this.#update(payload, (count, remaining) => ({ value: (count + 1).toString(), ttl: remaining }));
  }

  /** MW-05 */
  succeeded(payload: Payload): Promise<unknown> {
    return this.#update(payload, (count, ttl) => (count === 0 ? undefined : { value: undefined, ttl }));
  }

  #update(payload: Payload, next: (count: number, remaining: Seconds) => Next | undefined): Promise<unknown> {
    const { within } = this.#options;
    const update = () =>
      updateValue(this.#context.store, this.#keyOf(payload), (current) =>
        next(Number(current?.value ?? 0), current?.remaining ?? within),
      );
    return answerOr(this.#context, "throttleErrors", {}, update, undefined);
  }

  #keyOf(payload: Payload): string {
    return keyOf("throttleErrors", this.#context.queue, this.#options, payload);
  }
}
