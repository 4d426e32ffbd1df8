import { SQSClient } from "@aws-sdk/client-sqs";
import { createLedger, createOutbox, createTransactionManager, defineConnection } from "aftercommit";
import { betterSqlite3Database } from "aftercommit/databases/better-sqlite3";
import SQLite from "better-sqlite3";
import { z } from "zod";
import { sqsQueues } from "../../queues/sqs.ts";

const database = new SQLite(process.env["DATABASE_FILE"]);
const queueUrl = process.env["QUEUE_URL"] ?? "";

export const transactions = createTransactionManager(betterSqlite3Database(database));
export const outbox = createOutbox({ transactions });

/** Its unique key says "done already", in the transaction of the effect. */
export const ledger = createLedger({ transactions });

const sqs = defineConnection({
  queues: sqsQueues(new SQSClient(), () => queueUrl),
  retryAfter: 30,
  delivery: outbox,
});

export const points = sqs.queue("points", {
  payload: z.object({ orderId: z.uuid(), customerId: z.int(), points: z.int() }),
  timeout: 20,
  tries: 10,
  backoff: [10, 60, 300],
  repeatSafety: { by: "ledger" },
});
