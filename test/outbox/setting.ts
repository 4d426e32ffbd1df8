import { z } from "zod";
import { defineConnection } from "../../src/connection.js";
import { outboxDdl } from "../../src/outbox/ddl.js";
import { createOutbox, type Outbox, type OutboxOptions } from "../../src/outbox/outbox.js";
import { createRelay, type Relay, type RelayOptions } from "../../src/outbox/relay.js";
import type { Message, QueuePolicy, Queues } from "../../src/queues/queues.js";
import { memoryQueues, type MemoryQueues } from "../../src/queues/memory.js";
import { createTransactionManager, type TransactionManager } from "../../src/transaction-manager.js";
import type { Opened, Subject } from "../databases/subjects.js";

/** Queues in memory that can be down, slow, or refuse some messages; they remember what they were sent. */
export class TestQueues implements Queues {
  readonly library = "test";
  readonly memory: MemoryQueues = memoryQueues();
  /** Payloads in the order in which they were confirmed, with those that came twice. */
  readonly sent: unknown[] = [];
  /** How many messages each call brought. */
  readonly calls: number[] = [];
  /** Called before each sending; what it throws is what the queue answers. */
  before: (messages: readonly Message[]) => Promise<void> | void = () => undefined;

  async send(policy: QueuePolicy, messages: readonly Message[]): Promise<void> {
    this.calls.push(messages.length);
    await this.before(messages);
    await this.memory.send(policy, messages);
    for (const { payload } of messages) this.sent.push(JSON.parse(payload));
  }

  effectiveLease = (policy: QueuePolicy) => this.memory.effectiveLease(policy);
  work: Queues["work"] = (policy, options, handle) => this.memory.work(policy, options, handle);
  close = () => this.memory.close();

  refuse(isBad: (payload: unknown) => boolean): void {
    this.before = (messages) => {
      if (messages.some(({ payload }) => isBad(JSON.parse(payload)))) throw new Error("refused");
    };
  }
}

export const down = () => {
  throw new Error("the queue is down");
};

/** An outbox on a real database, with one queue of numbers. */
export class Setting {
  readonly opened: Opened;
  readonly transactions: TransactionManager;
  readonly errors: { readonly message: string; readonly doing: string }[] = [];
  readonly givenUp: { readonly id: string; readonly attempts: number }[] = [];
  queues!: TestQueues;
  outbox!: Outbox;
  queue!: ReturnType<typeof queueOf>;
  readonly #relays: Relay[] = [];

  private constructor(opened: Opened) {
    this.opened = opened;
    this.transactions = createTransactionManager(opened.database);
  }

  static async open(subject: Subject): Promise<Setting> {
    const setting = new Setting(await subject.open());
    await setting.sql(outboxDdl(setting.database.dialect));
    await setting.sql("create table orders (id integer primary key)");
    return setting;
  }

  get database() {
    return this.opened.database;
  }

  /** Empties the tables, and makes the outbox and its queue anew. */
  async renew(options: Partial<OutboxOptions> = {}): Promise<void> {
    await this.sql("delete from aftercommit_outbox; delete from orders");
    this.errors.length = this.givenUp.length = 0;
    this.queues = new TestQueues();
    this.another(options);
  }

  /** Another process, as far as the outbox is concerned. */
  another(options: Partial<OutboxOptions> = {}): void {
    const onError = (error: unknown) => {
      this.note(error, "immediate");
    };
    this.outbox = createOutbox({ transactions: this.transactions, onError, ...options });
    this.queue = queueOf(this.queues, this.outbox);
  }

  note(error: unknown, doing: string): void {
    this.errors.push({ message: error instanceof Error ? error.message : String(error), doing });
  }

  /** A relay that looks often, so that tests are quick. */
  relay(options: Partial<RelayOptions> = {}): Relay {
    const relay = createRelay({
      outbox: this.outbox,
      pollEvery: 0.02,
      backoff: { first: 0.02, longest: 0.1 },
      onError: (error, { doing }) => {
        this.note(error, doing);
      },
      onGivenUp: (row) => this.givenUp.push(row),
      ...options,
    });
    this.#relays.push(relay);
    return relay;
  }

  async stopRelays(): Promise<void> {
    await Promise.all(this.#relays.splice(0).map((relay) => relay.stop()));
  }

  async enqueue(...numbers: number[]): Promise<void> {
    await this.transactions.run(async (tx) => {
      for (const n of numbers) await this.queue.enqueue(tx, { n });
    });
  }

  async sql(statements: string): Promise<void> {
    for (const text of statements.split(/;\s*/)) if (text.trim() !== "") await this.database.query(text);
  }

  /** A queue beside the first one, of queues of its own. */
  otherQueue() {
    const others = new TestQueues();
    return { others, sent: others.sent, queue: queueOf(others, this.outbox, "others") };
  }

  /** The rows as `n state`, in the order in which they were written. */
  async rows(): Promise<string[]> {
    const { rows } = await this.database.query<{ payload: string; state: string }>(
      "select payload, case when dispatched_at is not null then 'dispatched' when failed_at is not null then 'failed' " +
        "when claim is not null then 'claimed' else 'waiting' end as state from aftercommit_outbox order by seq",
    );
    return rows.map(({ payload, state }) => `${(JSON.parse(payload) as { n: number }).n} ${state}`);
  }

  get sentNumbers(): number[] {
    return this.queues.sent.map((payload) => (payload as { n: number }).n);
  }
}

const numberPayload = z.object({ n: z.number() });

function queueOf(queues: Queues, delivery: Outbox, name = "numbers") {
  return defineConnection({ queues, retryAfter: 90 }).queue(name, {
    payload: numberPayload,
    timeout: 30,
    tries: 3,
    backoff: [10, 60],
    repeatSafety: { by: "overwrite" },
    delivery,
  });
}
