import type { Seconds } from "../duration.js";
import type { JobId } from "../job-id.js";
import type { Message } from "../queues/queues.js";
import { answerOr, keyOf, type ControlContext } from "./control-context.js";
import type { DebounceOptions } from "./control-options.js";
import { begun, sending, sent, supersededBy, type DebounceRecord, type Sending } from "./debounce-record.js";
import { updateValue } from "./shared-value.js";

/** Which of many jobs of an id is to run. What is known of them stands in one value of the lock store. */
export class Debounce<Payload> {
  readonly #context: ControlContext;
  readonly #options: DebounceOptions<Payload>;

  constructor(context: ControlContext, options: DebounceOptions<Payload>) {
    this.#context = context;
    this.#options = options;
  }

  /** @throws InvalidKeyError, and what `id` throws */
  keyOf(payload: Payload): string {
    return keyOf("debounce", this.#context.queue, this.#options, payload);
  }

  /** A message as it is to be sent, with its delay; an explicit one stays (DB-13). */
  async prepare(
    key: string,
    message: Message,
  ): Promise<{ readonly message: Message; readonly plan: Sending | undefined }> {
    const { for: quiet, maxWait } = this.#options;
    const plan = await answerOr(
      this.#context,
      "debounce",
      this.#options,
      async () => sending(recordOf((await this.#context.store.read(key))?.value), Date.now(), quiet, maxWait),
      undefined,
    );
    if (plan === undefined) return { message: { delay: quiet, ...message }, plan };
    const due = plan.due && message.delay === undefined;
    const prepared = { delay: plan.delay, ...message, generation: plan.generation };
    return { message: prepared, plan: { ...plan, due } };
  }

  /** Says that the queue has confirmed a message. Only now may older ones be dropped for it (DB-11). */
  async confirm(key: string, { id, delay = 0 }: Message, plan: Sending): Promise<void> {
    const ttl = this.#timeToLive(delay);
    await answerOr(
      this.#context,
      "debounce",
      {},
      () => this.#update(key, ttl, (record) => sent(record, id, plan, Date.now())),
      undefined,
    );
  }

  /** The job because of which this one need not run, if any. Where that cannot be known, it runs (DB-06). */
  supersededBy(key: string, { id, generation }: Message): Promise<JobId | undefined> {
    return answerOr(
      this.#context,
      "debounce",
      this.#options,
      async () => supersededBy(recordOf((await this.#context.store.read(key))?.value), id, generation),
      undefined,
    );
  }

  /** Notes that the job begins now, unless it need not run any more. @returns as `supersededBy` */
  begin(key: string, { id, generation }: Message): Promise<JobId | undefined> {
    let by: JobId | undefined;
    const begin = async () => {
      await this.#update(key, this.#timeToLive(0), (record) => {
        by = supersededBy(record, id, generation);
        return by === undefined ? begun(record, id, generation, Date.now()) : undefined;
      });
      return by;
    };
    return answerOr(this.#context, "debounce", this.#options, begin, undefined);
  }

  async #update(
    key: string,
    ttl: Seconds,
    next: (record: DebounceRecord | undefined) => DebounceRecord | undefined,
  ): Promise<undefined> {
    await updateValue(this.#context.store, key, (current) => {
      const record = next(recordOf(current?.value));
      return record === undefined ? undefined : { value: JSON.stringify(record), ttl };
    });
  }

  /** Longer than any job of the id waits, a queue that lags included. After it everything that is left runs. */
  #timeToLive(delay: Seconds): Seconds {
    const { for: quiet, maxWait = 0 } = this.#options;
    return Math.max(10 * quiet, maxWait + quiet, 300) + delay;
  }
}

function recordOf(value: string | undefined): DebounceRecord | undefined {
  return value === undefined ? undefined : (JSON.parse(value) as DebounceRecord);
}
