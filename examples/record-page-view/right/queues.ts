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
export const ledger = createLedger({ transactions });

const sqs = defineConnection({
  queues: sqsQueues(new SQSClient(), () => queueUrl),
  retryAfter: 30,
  delivery: outbox,
});

export const pageViews = sqs.queue("page-views", {
  payload: z.object({ eventId: z.uuid(), page: z.string(), day: z.iso.date() }),
  timeout: 20,
  tries: 10,
  backoff: [10, 60, 300],
  repeatSafety: { by: "ledger" },
});
