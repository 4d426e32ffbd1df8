/**
 * A process that has a carrier book one parcel, for `killed.test.ts`, which lets it die at a fail point. With a prefix it is
 * the worker of a queue. Uses the built package.
 */
import { createEffects, createTransactionManager, idempotencyKey, startWorker, type Database } from "aftercommit";
import { betterSqlite3Database } from "aftercommit/databases/better-sqlite3";
import { mysql2Database } from "aftercommit/databases/mysql2";
import { pgDatabase } from "aftercommit/databases/pg";
import BetterSqlite3 from "better-sqlite3";
import mysql from "mysql2/promise";
import pg from "pg";
import { bookAt } from "./carrier.ts";
import { defineParcels, services, shortTime } from "./parcels.ts";

export interface KilledTask {
  readonly dialect: "postgres" | "mysql" | "sqlite";
  /** The schema, the database, or the file. */
  readonly place: string;
  readonly url: string;
  readonly service: "keyed" | "keyless";
  /** Of the queue's keys in Redis; no queue where it is missing. */
  readonly prefix?: string;
}

const task = JSON.parse(process.argv[2] ?? "") as KilledTask;
const server = { host: "127.0.0.1", user: "postgres", database: "test" };
const databases: Readonly<Record<KilledTask["dialect"], () => Database>> = {
  postgres: () => pgDatabase(new pg.Pool({ ...server, options: `-c search_path=${task.place}` })),
  mysql: () => mysql2Database(mysql.createPool({ host: "127.0.0.1", user: "root", database: task.place })),
  sqlite: () => betterSqlite3Database(new BetterSqlite3(task.place)),
};
const transactions = createTransactionManager(databases[task.dialect]());
const { keyed, keyless } = services(createEffects({ transactions }), shortTime);
const book = bookAt(task.url, { withKey: task.service === "keyed" });
const service = task.service === "keyed" ? keyed : keyless;
const key = (orderId: number) => idempotencyKey("request-shipment", orderId);

if (task.prefix === undefined) {
  await service.call(key(1), { orderId: 1, street: "Long Lane" }, book);
  process.exit(0);
}
await startWorker(defineParcels(task.prefix, keyless), ({ payload }) =>
  keyless.call(key(payload.orderId), payload, book),
);
