/** A small Nest application: an order is confirmed in a transaction, and its points are granted by a job. */
import "reflect-metadata";
import { Inject, Injectable, Module } from "@nestjs/common";
import { z } from "zod";
import { defineConnection } from "../../../src/connection.js";
import type { Delivery } from "../../../src/delivery.js";
import { InjectQueue, InjectTransactions, JobHandler, OnJobFailed } from "../../../src/frameworks/nestjs.js";
import { idempotencyKey } from "../../../src/idempotency-key.js";
import { createLedger, type Ledger } from "../../../src/ledger/ledger.js";
import type { Queue } from "../../../src/queue.js";
import type { Queues } from "../../../src/queues/queues.js";
import type { TransactionManager } from "../../../src/transaction-manager.js";
import { execute } from "../../../src/transaction-statements.js";
import type { FailedJob, Job } from "../../../src/worker/worker.js";

const payload = z.object({ orderId: z.int() });
export interface Points {
  readonly orderId: number;
}
export type PointsQueue = Queue<Points, Points>;

export const definePoints = (queues: Queues, delivery: Delivery, name = "points"): PointsQueue =>
  defineConnection({ queues, retryAfter: 20 }).queue(name, {
    payload,
    timeout: 10,
    tries: 2,
    repeatSafety: { by: "ledger" },
    delivery,
  });

/** What a test wants to know, and to change. */
@Injectable()
export class Watch {
  readonly failed: unknown[] = [];
  readonly runs: number[] = [];
  /** What a run does first. */
  before: (job: Job<Points>) => Promise<void> | void = () => undefined;
}

@Injectable()
export class Orders {
  constructor(
    @InjectTransactions() private readonly transactions: TransactionManager,
    @InjectQueue("points") private readonly points: PointsQueue,
  ) {}

  async confirm(orderId: number, fails = false): Promise<void> {
    await this.transactions.run(async (tx) => {
      await execute(tx, `insert into orders values (${orderId.toString()}, 0)`);
      await this.points.enqueue(tx, { orderId });
      if (fails) throw new Error("the card was refused");
    });
  }
}

@Injectable()
export class PointsHandler {
  readonly #ledger: Ledger;

  constructor(
    @InjectTransactions() private readonly transactions: TransactionManager,
    @Inject(Watch) private readonly watch: Watch,
  ) {
    this.#ledger = createLedger({ transactions });
  }

  @JobHandler("points")
  async grant(job: Job<Points>): Promise<void> {
    const { orderId } = job.payload;
    this.watch.runs.push(orderId);
    await this.watch.before(job);
    await this.transactions.run((tx) =>
      this.#ledger.once(tx, idempotencyKey("grant-points", orderId), () =>
        execute(tx, `update orders set points = points + 10 where id = ${orderId.toString()}`),
      ),
    );
  }

  @OnJobFailed("points")
  tell({ payload: of, error }: FailedJob<Points>): void {
    this.watch.failed.push({ of, error });
  }
}

@Module({ providers: [Watch, Orders, PointsHandler] })
export class OrdersModule {}
