import { setTimeout as sleep } from "node:timers/promises";
import type { JobId, Relay, Worker } from "aftercommit";
import { Process } from "./processes.ts";
import { ghost, openShop, type Mode, type Operation, type Shop } from "./shop.ts";
import type { Task } from "./shop-child.ts";
import type { OpenedSystem } from "./systems.ts";

/** What there is to count when everything has come to rest. Orders by number. */
export interface Outcome {
  /** Orders that the database holds. */
  readonly orders: readonly number[];
  /** One for each time an effect happened. */
  readonly effects: readonly number[];
  /** One for each start of a handler. */
  readonly deliveries: readonly number[];
  readonly failedJobs: number;
}

/** How long everything may take to come to rest; far more than it takes on a calm machine. */
const patienceMs = 60_000;

let trials = 0;

/** One queue of a shop, with processes that are killed, and then one relay and one worker that are not. */
export class Trial {
  readonly queue: string;
  readonly mode: Mode;
  readonly #system: OpenedSystem;
  readonly #base: number;
  readonly #processes: Process[] = [];
  #shop: Shop | undefined;
  #healthy: { readonly relay: Relay; readonly worker: Worker } | undefined;

  static async begin(system: OpenedSystem, mode: Mode = "relay"): Promise<Trial> {
    const trial = new Trial(system, mode);
    await system.prepare(trial.queue);
    return trial;
  }

  private constructor(system: OpenedSystem, mode: Mode) {
    this.#system = system;
    this.mode = mode;
    trials += 1;
    this.queue = `shipments-${trials}`;
    this.#base = trials * 2 * ghost;
  }

  /** The number of the trial's nth order. */
  order(n: number): number {
    return this.#base + n;
  }

  /** Orders that are simply committed. */
  orders(count: number): Operation[] {
    return Array.from({ length: count }, (_, n) => ({ order: this.order(n), fate: "commits", jobs: 1 }));
  }

  start(task: Pick<Task, "role"> & Partial<Task>, failPoint?: string): Process {
    const process = new Process({ place: this.#system.place, queue: this.queue, mode: this.mode, ...task }, failPoint);
    this.#processes.push(process);
    return process;
  }

  /** This trial's shop in this process. */
  async shop(): Promise<Shop> {
    return (this.#shop ??= await openShop(this.#system.place, this.queue, this.mode));
  }

  /** Ends what is left of the trial's processes, lets a healthy relay and worker do the rest, and counts. */
  async recover(): Promise<Outcome> {
    await this.#killAll();
    const shop = await this.shop();
    if (this.#healthy === undefined) {
      const relay = shop.relay();
      await relay.start();
      this.#healthy = { relay, worker: await shop.worker() };
    }
    return this.rest();
  }

  /** Has the messages of these orders sent and run again, although they were done. */
  async redeliver(orders: readonly number[]): Promise<void> {
    const shop = await this.shop();
    const wanted = new Set(orders);
    const rows = await shop.outbox.list({ state: "dispatched", queue: this.queue, limit: 10_000 });
    const ids = rows
      .filter(({ payload }) => wanted.has((JSON.parse(payload) as { orderId: number }).orderId))
      .map(({ id }): JobId => id);
    await this.#system.forgetDone(this.queue);
    await shop.outbox.requeue(ids);
  }

  /** Waits until no row and no job is left to be done. */
  async rest(): Promise<Outcome> {
    const until = Date.now() + patienceMs;
    for (;;) {
      const rows = await this.rows("dispatched_at IS NULL");
      const { waiting, failed } = await this.#system.notDone(this.queue);
      if (rows === 0 && waiting === 0) {
        const [orders, effects, deliveries] = await Promise.all([
          this.#numbers("orders", "id"),
          this.#numbers("effects", "order_id"),
          this.#numbers("deliveries", "order_id"),
        ]);
        return { orders, effects, deliveries, failedJobs: failed };
      }
      if (Date.now() > until) throw new Error(`after ${patienceMs} ms ${rows} rows and ${waiting} jobs are not done`);
      await sleep(25);
    }
  }

  /** How many of its rows of the outbox meet a condition. */
  async rows(condition: string): Promise<number> {
    const { database } = await this.shop();
    const { rows } = await database.query<{ count: number | string }>(
      `SELECT count(*) AS count FROM aftercommit_outbox WHERE ${condition} AND queue = '${this.queue}'`,
    );
    return Number(rows[0]?.count);
  }

  /** The trial's orders that the database holds now. */
  stored(): Promise<readonly number[]> {
    return this.#numbers("orders", "id");
  }

  async close(): Promise<void> {
    await this.#killAll();
    await this.#healthy?.relay.stop();
    await this.#healthy?.worker.stop();
    await this.#shop?.close();
    this.#healthy = this.#shop = undefined;
  }

  async #killAll(): Promise<void> {
    await Promise.all(this.#processes.map((process) => process.kill()));
  }

  async #numbers(table: string, column: string): Promise<number[]> {
    const { database } = await this.shop();
    const { rows } = await database.query<{ n: number }>(
      `SELECT ${column} AS n FROM ${table} WHERE ${column} >= ${this.#base} AND ${column} < ${this.#base + 2 * ghost} ` +
        "ORDER BY 1",
    );
    return rows.map(({ n }) => n);
  }
}

/** What is wrong with an outcome: what was lost, doubled, or done for nothing. Nothing, if all is well. */
export function wrongs({ orders, effects, deliveries, failedJobs }: Outcome): string[] {
  const done = new Map<number, number>();
  for (const order of effects) done.set(order, (done.get(order) ?? 0) + 1);
  const stored = new Set(orders);
  return [
    ...orders.filter((order) => !done.has(order)).map((order) => `order ${order} is lost`),
    ...[...done]
      .filter(([, count]) => count > 1)
      .map(([order, count]) => `order ${order} had its effect ${count} times`),
    ...[...new Set([...deliveries, ...effects])]
      .filter((order) => !stored.has(order))
      .map((order) => `a job ran for order ${order}, which was never stored`),
    ...(failedJobs > 0 ? [`${failedJobs} jobs were given up`] : []),
  ];
}
