import type { JobId } from "../job-id.js";
import { answerOr, keyOf, type ControlContext } from "./control-context.js";
import type { UniqueOptions } from "./control-options.js";
import { Lock } from "./lock.js";

/**
 * One job of an id at a time, from its sending to its end. The lock's owner is the job's id: so who holds it says which
 * job is there, a job that is sent once more finds its own lock, and nobody frees another's.
 */
export class UniqueLocks<Payload> {
  readonly #context: ControlContext;
  readonly #options: UniqueOptions<Payload>;

  constructor(context: ControlContext, options: UniqueOptions<Payload>) {
    this.#context = context;
    this.#options = options;
  }

  /** @throws InvalidKeyError, and what `id` throws */
  keyOf(payload: Payload): string {
    return keyOf("unique", this.#context.queue, this.#options, payload);
  }

  /** @returns the job that is there instead; nothing when this one has the lock now */
  claim(key: string, id: JobId): Promise<JobId | undefined> {
    const take = async () => (await this.#lock(key, id).take())?.value as JobId | undefined;
    return answerOr(this.#context, "unique", this.#options, take, undefined);
  }

  /** Does nothing when the job has no lock, or not any more. Never rejects: the lock ends by itself. */
  async release(key: string, id: JobId): Promise<void> {
    await answerOr(this.#context, "unique", {}, () => this.#lock(key, id).release(), false);
  }

  #lock(key: string, owner: JobId): Lock {
    return new Lock(this.#context.store, key, { for: this.#options.for, owner });
  }
}
