import { SQSClient } from "@aws-sdk/client-sqs";
import { createOutbox, createTransactionManager, defineConnection } from "aftercommit";
import { betterSqlite3Database } from "aftercommit/databases/better-sqlite3";
import SQLite from "better-sqlite3";
import { z } from "zod";
import { sqsQueues } from "../../queues/sqs.ts";

const database = new SQLite(process.env["DATABASE_FILE"]);
const queueUrl = process.env["QUEUE_URL"] ?? "";

export const transactions = createTransactionManager(betterSqlite3Database(database));

/** What is asked for in a transaction is a row of it, and leaves only when it is committed. */
export const outbox = createOutbox({ transactions });

const sqs = defineConnection({
  queues: sqsQueues(new SQSClient(), () => queueUrl),
  retryAfter: 30,
  delivery: outbox,
});

export const shipments = sqs.queue("shipments", {
  payload: z.object({ orderId: z.uuid() }),
  // Below the 30 seconds of the connection, or this does not compile.
  timeout: 20,
  tries: 10,
  backoff: [10, 60, 300],
  repeatSafety: { by: "external-key" },
});
