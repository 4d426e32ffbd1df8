import { randomUUID } from "node:crypto";
import { inTransaction } from "../ambient.js";
import type { Seconds } from "../duration.js";
import { ConfigurationError, InvalidKeyError, messageOf } from "../errors.js";
import { failPoint } from "../fail-points.js";
import type { IdempotencyKey } from "../idempotency-key.js";
import { isJobId } from "../job-id.js";
import { fingerprintOf } from "../ledger/fingerprint.js";
import { OperationTooOldError } from "../ledger/ledger-errors.js";
import { assertJobGoesOn, runningJob } from "../running-job.js";
import { EffectNotRecordedError, EffectUnderWayError, NeedsReviewError, RequestChangedError } from "./effect-errors.js";
import type { Ending, EffectTable, Intention, StoredEffect } from "./effect-table.js";
import { nothingWasSent } from "./nothing-was-sent.js";

/** A clear answer of a service that it has not done what it was asked, and will not. */
export class Refusal {
  readonly reason: string;

  /** @internal Use `refused`. */
  constructor(reason: string) {
    this.reason = reason;
  }
}

/**
 * What a call returns when the service has clearly refused: a 4xx that says what is wrong, never a 5xx or a time-out.
 *
 * @param reason for the handler and for people; it is stored
 */
export function refused(reason: string): Refusal {
  return new Refusal(reason);
}

/** What became of an operation in another service. */
export type EffectOutcome<Result> =
  | {
      readonly outcome: "done";
      /** What the call returned, after its way through JSON. Nothing where a person has resolved it without a result. */
      readonly result: Result | undefined;
      /** Whether it was answered from the record, without a call. */
      readonly repeated: boolean;
    }
  | { readonly outcome: "refused"; readonly reason: string; readonly repeated: boolean };

/** What a call is given. */
export interface CallOf<Request> {
  readonly key: IdempotencyKey;
  /** As it was written down: what is sent must come from here. */
  readonly request: Request;
  /** Aborts when the time of the call, or that of the job, is over. Pass it to the client. */
  readonly signal: AbortSignal;
}

export interface ServiceCallOptions {
  /** When the business operation happened (`job.occurredAt`). Needed where the effects have a `retention`. */
  readonly occurredAt?: Date;
}

interface ServiceBase {
  readonly name: string;
  /** How long a call may take, in seconds. */
  readonly timeout: Seconds;

  /**
   * Has the service do an operation, and writes down what is known of it: the intention, committed before the call, then
   * the answer. An operation that is done or refused is not asked for again; its answer comes from the record (EX-08).
   *
   * `call` makes one request, by a client that does not repeat it by itself, and
   * - returns when the service has clearly done it,
   * - returns `refused(reason)` when it has clearly refused,
   * - throws when that is not clear: a time-out, a cut connection, a 5xx.
   *
   * A refused connection or an unknown host are seen here: nothing was sent then, the error goes on to the caller, and
   * the next call asks again (EX-07).
   *
   * @param request what is asked, as JSON: it is stored beside the key, and must be the same each time for one key (EX-11).
   *   No passwords, no card numbers
   * @throws RequestChangedError for a key that came with another request before; nothing was sent
   * @throws NeedsReviewError when nobody knows and nobody may ask again; EffectUnderWayError while somebody else asks
   * @throws EffectNotRecordedError when the answer could not be written down
   * @throws OperationTooOldError, InvalidKeyError
   * @throws ConfigurationError inside a transaction (EX-10): what is sent cannot be rolled back, and locks would be held
   *   meanwhile
   * @throws what `call` throws, where the operation may be asked for again
   */
  call<Request, Result>(
    key: IdempotencyKey,
    request: Request,
    call: (of: CallOf<Request>) => Promise<Result | Refusal> | Result | Refusal,
    options?: ServiceCallOptions,
  ): Promise<EffectOutcome<Result>>;
}

/**
 * A service that takes an idempotency key. It may be asked again with the same key and request for as long as it keeps
 * keys; after that the operation waits for a person.
 */
export interface KeyedService extends ServiceBase {
  /** For the type checker: what a repeated request rests on. */
  readonly "~repeats": "by its key";
  /** For how long the service remembers a key, in seconds. */
  readonly keysKeptFor: Seconds;
}

/** A service that takes no key. It is never asked again by itself; what is unknown waits for a person. */
export interface ReviewedService extends ServiceBase {
  /** For the type checker: what a repeated request rests on. */
  readonly "~repeats": "never, what is unknown goes to review";
}

/** What the definition of a queue and a worker need of a service. */
interface ServiceInside {
  readonly verify: () => Promise<void>;
}

const insides = new WeakMap<object, ServiceInside>();

/** @throws ConfigurationError when it was not made by `effects.service` */
export function insideOfService(service: object): ServiceInside {
  const inside = insides.get(service);
  if (inside === undefined) throw new ConfigurationError("`service` must be what `effects.service` has made.");
  return inside;
}

interface Parts {
  readonly name: string;
  readonly timeout: Seconds;
  readonly keysKeptFor: Seconds | undefined;
  readonly retention: Seconds | undefined;
  readonly table: EffectTable;
  /** Of this manager, or one that a framework has opened and its adapter sees. */
  readonly isInTransaction: () => boolean;
  readonly verifyFirst: () => Promise<void>;
  readonly verify: () => Promise<void>;
}

/** A call that may be made. */
interface Intended {
  /** The request, as JSON text. */
  readonly text: string;
  /** Whether no call for the operation can have arrived before. */
  readonly isFirst: boolean;
}

/** How often a row is read again that others change meanwhile. */
const mostLooks = 5;

export function createService(parts: Parts): ServiceBase {
  const { name, timeout, keysKeptFor, retention, table } = parts;
  const takesKey = keysKeptFor !== undefined;

  function check(key: IdempotencyKey, { occurredAt }: ServiceCallOptions): void {
    if (parts.isInTransaction() || inTransaction()) {
      throw new ConfigurationError(
        `"${name}" was to be called inside a transaction. What is sent cannot be rolled back, the record must be committed ` +
          "before the call, and locks would be held while it waits. Call it outside, from a job. Nothing was sent.",
      );
    }
    const text: unknown = key;
    if (typeof text !== "string" || !/^[\x21-\x7e]{1,255}$/.test(text) || isJobId(text)) {
      throw new InvalidKeyError("The key of an operation must come from `idempotencyKey`. Nothing was sent.");
    }
    if (retention === undefined) return;
    if (!(occurredAt instanceof Date) || Number.isNaN(occurredAt.getTime())) {
      throw new ConfigurationError(
        "These effects are forgotten, so it must be known when the operation happened: give `occurredAt` (in a worker: " +
          "`job.occurredAt`). Nothing was sent.",
      );
    }
    if (Date.now() - occurredAt.getTime() > retention * 1000)
      throw new OperationTooOldError(key, occurredAt, retention);
  }

  /**
   * Writes the intention down.
   *
   * @returns what is to be sent, or what is known already
   */
  async function intend(intention: Intention, key: IdempotencyKey): Promise<Intended | StoredEffect> {
    const first: Intended = { text: intention.request, isFirst: true };
    for (let look = 1; look <= mostLooks; look += 1) {
      if ((await table.intend(intention)) === "inserted") return first;
      const found = await table.read(intention.key);
      // It was deleted meanwhile.
      if (found === undefined) continue;
      if (found.state === "not sent") {
        if (await table.intendAgain(intention, found)) return first;
        continue;
      }
      if (found.fingerprint !== intention.fingerprint) throw new RequestChangedError(key, name);
      if (found.state === "done" || found.state === "refused") return found;
      const isOver = Number(found.is_over) === 1;
      if (takesKey && Number(found.takes_key) === 1 && !isOver) {
        // To the letter: some services compare texts.
        if (await table.intendAgain(intention, found)) return { text: found.request, isFirst: false };
        continue;
      }
      if (found.state === "intended" && !isOver) throw new EffectUnderWayError(key, name);
      await table.giveUp(intention.key, found.call_id);
      throw new NeedsReviewError(key, name);
    }
    throw new EffectUnderWayError(key, name);
  }

  /** @throws EffectNotRecordedError */
  async function record(intention: Intention, key: IdempotencyKey, ending: Ending): Promise<void> {
    let isFirst: boolean;
    try {
      isFirst = await table.end(intention, ending);
    } catch (error) {
      throw new EffectNotRecordedError(
        key,
        name,
        `its answer ("${ending.state}") could not be written down. ` +
          (takesKey ? "The next run asks again with the same key." : "It waits for a person."),
        error,
      );
    }
    await failPoint("effects:after-record");
    if (isFirst) return;
    const found = await table.read(intention.key);
    // Calls with one key are one operation; without keys, another call is another parcel.
    if (found?.state === ending.state && (takesKey || found.call_id === intention.call)) return;
    throw new EffectNotRecordedError(
      key,
      name,
      `its answer is "${ending.state}", but somebody has written down another one meanwhile. Look at both.`,
    );
  }

  const service: ServiceBase = {
    name,
    timeout,

    async call<Request, Result>(
      key: IdempotencyKey,
      request: Request,
      call: (of: CallOf<Request>) => Promise<Result | Refusal> | Result | Refusal,
      options: ServiceCallOptions = {},
    ): Promise<EffectOutcome<Result>> {
      check(key, options);
      const fingerprint = fingerprintOf(request);
      const job = runningJob.getStore();
      const intention: Intention = {
        key,
        service: name,
        takesKey,
        request: JSON.stringify(request),
        fingerprint,
        call: randomUUID(),
        // A request with a key must arrive while the service still knows the key.
        openFor: keysKeptFor === undefined ? timeout : keysKeptFor - timeout,
        job: job && { queue: job.queue, id: job.id },
      };
      assertJobGoesOn();
      await parts.verifyFirst();
      const started = performance.now();
      const intended = await intend(intention, key);
      if (!("isFirst" in intended)) return stored(intended);
      await failPoint("effects:after-intention");

      const time = AbortSignal.timeout(Math.max(Math.ceil(started + timeout * 1000 - performance.now()), 0));
      const signal = job === undefined ? time : AbortSignal.any([time, job.signal]);
      let answer: Result | Refusal;
      try {
        // A process that was paused must not call when others already think that it is dead.
        if (performance.now() - started > timeout * 1000) {
          throw new DOMException("The time of the call was over before it could be made.", "TimeoutError");
        }
        assertJobGoesOn();
        signal.throwIfAborted();
      } catch (error) {
        await notSent(intention, intended, error);
        throw error;
      }
      try {
        answer = await whileNotAborted(signal, () =>
          call({ key, request: JSON.parse(intended.text) as Request, signal }),
        );
      } catch (error) {
        throw await unclear(intention, intended, key, error);
      }
      await failPoint("effects:after-call");
      if (answer instanceof Refusal) {
        await record(intention, key, { state: "refused", answer: answer.reason });
        return { outcome: "refused", reason: answer.reason, repeated: false };
      }
      const text = jsonOf(answer);
      await record(intention, key, { state: "done", answer: text.json });
      if (text.error !== undefined) {
        throw new EffectNotRecordedError(
          key,
          name,
          "it is written down as done, but without its result, which JSON cannot say. Return what JSON can say.",
          text.error,
        );
      }
      return { outcome: "done", result: resultOf(text.json) as Result | undefined, repeated: false };
    },
  };

  /** Writes down that nothing of this call has left, unless another call has taken over meanwhile. */
  async function notSent(intention: Intention, { isFirst }: Intended, error: unknown): Promise<void> {
    await table.end(intention, { state: isFirst ? "not sent" : "unknown", error: messageOf(error) });
  }

  /** Writes down that a call has thrown. @returns what its caller is to get */
  async function unclear(
    intention: Intention,
    intended: Intended,
    key: IdempotencyKey,
    error: unknown,
  ): Promise<unknown> {
    if (nothingWasSent(error)) {
      await notSent(intention, intended, error);
      return error;
    }
    // If this fails too, the record says "intended", and its time ends by itself.
    await table.end(intention, { state: "unknown", error: messageOf(error) }).catch(() => false);
    return takesKey ? error : new NeedsReviewError(key, name, error);
  }

  insides.set(service, { verify: parts.verify });
  return service;
}

/** The wait ends with the signal, also where the call does not listen to it. */
async function whileNotAborted<T>(signal: AbortSignal, work: () => T | Promise<T>): Promise<T> {
  let stop: () => void = () => undefined;
  const aborted = new Promise<never>((_, reject) => {
    stop = () => {
      reject(signal.reason as Error);
    };
    signal.addEventListener("abort", stop, { once: true });
  });
  try {
    return await Promise.race([work(), aborted]);
  } finally {
    signal.removeEventListener("abort", stop);
  }
}

function stored<Result>({ state, answer }: StoredEffect): EffectOutcome<Result> {
  return state === "refused"
    ? { outcome: "refused", reason: answer ?? "", repeated: true }
    : { outcome: "done", result: resultOf(answer ?? undefined) as Result | undefined, repeated: true };
}

function jsonOf(value: unknown): { readonly json: string | undefined; readonly error?: unknown } {
  try {
    return { json: JSON.stringify(value) };
  } catch (error) {
    return { json: undefined, error };
  }
}

/** As it was when it was written down. */
function resultOf(json: string | undefined): unknown {
  return json === undefined ? undefined : JSON.parse(json);
}
