import { randomUUID } from "node:crypto";
import type { Destination } from "../delivery.js";
import type { Seconds } from "../duration.js";
import { messageOf } from "../errors.js";
import { failPoint } from "../fail-points.js";
import { sendObserved } from "../job-observer.js";
import type { LaneOptions, RelayErrorContext } from "./lane-options.js";
import type { ClaimedRow } from "./outbox-row.js";
import type { OutboxTable } from "./outbox-table.js";
import { publish, type Publication } from "./publication.js";
import { within } from "../time-limit.js";
import { Bell, type Slots } from "./waiting.js";

interface Taken {
  readonly rows: readonly ClaimedRow[];
  readonly token: string;
  /** By this process's steady clock, counted from before the claim: when the lease ends at the earliest. */
  readonly untilMs: number;
  /** There may be more. */
  readonly full: boolean;
}

/** How long rows wait that are behind an unsent row of their key, in seconds. They are freed when it is sent. */
const heldWait: Seconds = 1;

/** The waits before the first looks after the last row, in seconds. */
const lingering: readonly Seconds[] = [0.005, 0.01];

/**
 * How long rows that were sent wait to be marked where there are no more to send, in seconds: the statement is not to get
 * in the way of the worker that is taking the job.
 */
const markAfter: Seconds = 0.003;

/**
 * How many rows are tried alone when nothing goes through. It begins with two and grows: where the queue only seems to be
 * down because of many bad rows, a good one is found sooner or later.
 */
const mostProbes = 20;

/** How many rows are remembered as having failed here. */
const mostRemembered = 10_000;

/** Sends the rows of one queue. Nothing that happens to it stops the lanes of other queues. */
export class Lane {
  readonly #destination: Destination;
  readonly #table: OutboxTable;
  readonly #options: LaneOptions;
  readonly #slots: Slots;
  readonly #bell = new Bell();
  readonly #running: Promise<void>;
  #stopping = false;
  /** How many rows the queue has confirmed. */
  #confirmed = 0;
  /** What `#confirmed` was before the claim in which a row failed last. */
  readonly #confirmedAtFailure = new Map<string, number>();
  #roundsDown = 0;

  constructor(destination: Destination, table: OutboxTable, slots: Slots, options: LaneOptions) {
    this.#destination = destination;
    this.#table = table;
    this.#slots = slots;
    this.#options = options;
    this.#running = this.#run();
  }

  /** Says that there are rows. */
  wake(): void {
    this.#bell.ring();
  }

  /** Resolves when what was taken is sent and marked, or given back. */
  async stop(): Promise<void> {
    this.#stopping = true;
    this.#bell.end();
    await this.#running;
  }

  get #queue(): string {
    return this.#destination.policy.name;
  }

  async #run(): Promise<void> {
    const { pollEvery } = this.#options;
    let next: Promise<Taken | undefined> | undefined;
    let settling: Promise<void> = Promise.resolve();
    let claimFailures = 0;
    let looksInVain = 0;

    while (!this.#stopping) {
      const taken = await (next ?? this.#claim());
      next = undefined;
      if (taken === undefined) {
        await this.#bell.silence(this.#backoff((claimFailures += 1)));
        continue;
      }
      claimFailures = 0;
      if (taken.rows.length === 0) {
        // Where there were rows, more may have been committed that nobody has told of yet.
        await this.#bell.wait(Math.min(lingering[looksInVain] ?? pollEvery, pollEvery));
        looksInVain += 1;
        continue;
      }
      looksInVain = 0;
      // The next rows are taken, and the last ones marked, while these are on their way. Not with keys: the next row of
      // a key may only be taken when the last one is marked.
      const ordered = taken.rows.some(({ message }) => message.orderKey !== undefined);
      if (taken.full && !ordered) next = this.#claim();
      const publication = await this.#publish(taken);
      await settling;
      const isLast = !taken.full && !ordered && publication.down === undefined;
      settling = isLast ? this.#settleSoon(taken, publication) : this.#settle(taken, publication);
      if (ordered || publication.down !== undefined) await settling;
      if (publication.down === undefined) {
        this.#roundsDown = 0;
        // Who commits meanwhile rings.
        if (isLast) await this.#bell.wait(lingering[0] ?? 0);
        continue;
      }
      const ahead = await next;
      next = undefined;
      if (ahead !== undefined) await this.#giveBack(ahead);
      await this.#bell.silence(this.#backoff((this.#roundsDown += 1)));
    }
    const ahead = await next;
    if (ahead !== undefined) await this.#giveBack(ahead);
    await settling;
  }

  /** `undefined` when the database did not answer. */
  async #claim(): Promise<Taken | undefined> {
    const { batch, lease } = this.#options;
    const token = randomUUID();
    const untilMs = performance.now() + lease * 1000;
    try {
      const rows = await this.#slots.use(() => this.#table.claim({ queue: this.#queue, most: batch, token, lease }));
      if (rows.length > 0) await failPoint("relay:after-claim");
      const free = await this.#withoutHeld(rows, token);
      return { rows: free, token, untilMs, full: rows.length === batch };
    } catch (error) {
      this.#report(error, "claim");
      return undefined;
    }
  }

  /** Puts back rows that stand behind an unsent row of their key. */
  async #withoutHeld(rows: readonly ClaimedRow[], token: string): Promise<readonly ClaimedRow[]> {
    const keyed = rows.filter(({ message }) => message.orderKey !== undefined);
    if (keyed.length === 0) return rows;
    // Asked after the claim is committed, so of two relays that hold rows of one key the later row's always sees the
    // earlier row.
    const firstUnsent = await this.#slots.use(() => this.#table.firstUnsent(this.#queue, token, idsOf(keyed)));
    const held = keyed.filter(({ seq, message }) => seq > (firstUnsent.get(message.orderKey ?? "") ?? Infinity));
    if (held.length === 0) return rows;
    await this.#slots.use(() => this.#table.release(idsOf(held), token, heldWait));
    const put = new Set(held);
    return rows.filter((row) => !put.has(row));
  }

  async #publish({ rows, untilMs }: Taken): Promise<Publication> {
    const { sendTimeout } = this.#options;
    // What is sent must be confirmed before another relay may take the row, as far as that can be had.
    const mayGoOn = () => !this.#stopping && performance.now() + sendTimeout * 1000 < untilMs;
    if (performance.now() + sendTimeout * 1000 >= untilMs) {
      return { sent: [], failed: [], unsent: rows, down: undefined };
    }
    const { due, overdue } = this.#notGivenUp(rows);
    if (due.length === 0) return { sent: [], failed: overdue, unsent: [], down: undefined };
    await failPoint("relay:before-send");
    const send = async (some: readonly ClaimedRow[]) => {
      const messages = some.map(({ message }) => message);
      await within(
        sendTimeout,
        `Sending to queue "${this.#queue}"`,
        sendObserved("relay", this.#destination, messages),
      );
    };
    const publication = await publish(due, send, mayGoOn, Math.min(2 + 2 * this.#roundsDown, mostProbes));
    await failPoint("relay:after-send");
    return { ...publication, failed: [...publication.failed, ...overdue] };
  }

  /** Takes out rows that were sent often enough without their job having marked them (IC-05). */
  #notGivenUp(rows: readonly ClaimedRow[]) {
    const { resendAfter, tries } = this.#options;
    if (resendAfter === undefined) return { due: rows, overdue: [] };
    const due = rows.filter(({ attempts }) => attempts < tries);
    const overdue = rows
      .filter(({ attempts }) => attempts >= tries)
      .map((row) => ({ row, error: new NeverMarkedError(tries) }));
    return { due, overdue };
  }

  async #settleSoon(taken: Taken, publication: Publication): Promise<void> {
    await this.#bell.silence(markAfter);
    await this.#settle(taken, publication);
  }

  /** Writes down what became of the rows; while the lease lasts, again and again. */
  async #settle({ token, untilMs }: Taken, publication: Publication): Promise<void> {
    const before = this.#confirmed;
    this.#confirmed += publication.sent.length;
    const verdicts = publication.failed.map(({ row, error }) => this.#verdict(row, error, before));
    if (publication.down !== undefined) this.#report(publication.down.error, "send");
    else for (const { error } of publication.failed) this.#report(error, "send");

    const settleOnce = async () => {
      if (publication.sent.length > 0) await this.#confirm(publication.sent, token);
      if (publication.unsent.length > 0) await this.#table.release(idsOf(publication.unsent), token);
      for (const { row, error, wait } of verdicts) {
        await this.#table.fail(row.message.id, token, messageOf(error), wait);
      }
    };
    for (let failures = 1; ; failures += 1) {
      try {
        await this.#slots.use(settleOnce);
        break;
      } catch (error) {
        this.#report(error, "mark");
        const wait = this.#backoff(failures);
        // Then the rows are sent again when the lease ends.
        if (performance.now() + wait * 1000 >= untilMs || (this.#stopping && failures >= 3)) return;
        await this.#bell.silence(wait);
      }
    }
    for (const { row, error, wait } of verdicts) {
      if (wait === undefined) this.#giveUp(row, error);
    }
  }

  async #confirm(rows: readonly ClaimedRow[], token: string): Promise<void> {
    const { resendAfter } = this.#options;
    if (resendAfter !== undefined) {
      await this.#table.awaitJobs(idsOf(rows), token, resendAfter);
      return;
    }
    const marked = await this.#table.mark(idsOf(rows), token);
    await failPoint("relay:after-mark");
    if (marked < rows.length) {
      this.#report(
        new Error(
          `${rows.length - marked} of ${rows.length} jobs were sent, but not marked: the lease had ended before, and ` +
            "another relay may send them again. Give the relay a longer `lease`, or a smaller `batch`.",
        ),
        "lease lost",
      );
    }
    for (const { message } of rows) this.#confirmedAtFailure.delete(message.id);
    const keys = new Set(rows.flatMap(({ message }) => message.orderKey ?? []));
    if (keys.size > 0) await this.#table.free(this.#queue, [...keys]);
  }

  /**
   * How long a row that failed is to wait. It is given up only when the queue has confirmed other rows since it failed
   * the last time: however long a queue is down, that gives up nothing.
   */
  #verdict(row: ClaimedRow, error: unknown, confirmedBefore: number) {
    const attempts = row.attempts + 1;
    const { id } = row.message;
    const isRow = this.#confirmed > (this.#confirmedAtFailure.get(id) ?? confirmedBefore);
    if (this.#confirmedAtFailure.size >= mostRemembered) this.#confirmedAtFailure.clear();
    this.#confirmedAtFailure.set(id, confirmedBefore);
    const givenUp = error instanceof NeverMarkedError || (attempts >= this.#options.tries && isRow);
    const wait = givenUp ? undefined : this.#backoff(attempts);
    return { row, error, wait };
  }

  #giveUp({ message, attempts }: ClaimedRow, error: unknown): void {
    this.#confirmedAtFailure.delete(message.id);
    this.#options.onGivenUp({ queue: this.#queue, id: message.id, attempts: attempts + 1, error });
  }

  async #giveBack({ rows, token }: Taken): Promise<void> {
    if (rows.length === 0) return;
    try {
      await this.#slots.use(() => this.#table.release(idsOf(rows), token));
    } catch (error) {
      // They are free again when the lease ends.
      this.#report(error, "mark");
    }
  }

  #backoff(failures: number): Seconds {
    const { first, longest } = this.#options.backoff;
    return Math.min(first * 2 ** Math.min(failures - 1, 30), longest) * (0.75 + Math.random() / 4);
  }

  #report(error: unknown, doing: RelayErrorContext["doing"]): void {
    this.#options.onError(error, { queue: this.#queue, doing });
  }
}

/** Its job was sent often enough. */
class NeverMarkedError extends Error {
  constructor(tries: number) {
    super(`it was sent, or tried to be sent, ${tries} times, and no job has marked it with \`outbox.complete\``);
  }
}

function idsOf(rows: readonly ClaimedRow[]): string[] {
  return rows.map(({ message }) => message.id);
}
