import type { Adapter, DurationSetting, Join, Library, Reach, Slot } from "./vocabulary.js";

const adapters: readonly Adapter[] = [
  { handleOf: "knex", expression: "fromKnex($)", imports: [["pg-boss", "fromKnex"]] },
  { handleOf: "kysely", expression: "fromKysely($)", imports: [["pg-boss", "fromKysely"]] },
  {
    handleOf: "drizzle-orm",
    expression: "fromDrizzle($, sql)",
    imports: [
      ["pg-boss", "fromDrizzle"],
      ["drizzle-orm", "sql"],
    ],
  },
  { handleOf: "@prisma/client", expression: "fromPrisma($)", imports: [["pg-boss", "fromPrisma"]] },
  { handleOf: "@electric-sql/pglite", expression: "fromPglite($)", imports: [["pg-boss", "fromPglite"]] },
  { handleOf: "pg", expression: "{ executeSql: (text, values) => $.query(text, values) }" },
];
const joinsByOption = (argument: number): Join => ({ option: { argument, path: "db" }, adapters });
const joinsInRequest: Join = { option: { argument: 0, path: "options.db" } };
const rowExists = "while the job's row exists";
const byPolicy = "only with a queue policy or `singletonSeconds`";

/** `send(name, data, options)`, `send({ name, data, options })`, and the other ways to put jobs on a queue. */
const whenSent: Reach = {
  namedIn: [
    "PgBoss.send",
    "PgBoss.sendAfter",
    "PgBoss.sendThrottled",
    "PgBoss.sendDebounced",
    "PgBoss.insert",
    "PgBoss.schedule",
    "PgBoss.upsert",
  ],
  name: [{ argument: 0 }, { argument: 0, path: "name" }],
  as: { argument: 0 },
};
const whenCreated: Reach = {
  namedIn: ["PgBoss.createQueue", "PgBoss.updateQueue"],
  name: { argument: 0 },
  as: { argument: 0 },
};
/** 10 and before */
const whenStarted: Reach = { anywhere: ["new PgBoss", "new default"] };
const sendOption = (name: string): Slot[] => [
  { argument: 2, path: name },
  { argument: 3, path: name },
  { argument: 0, path: `options.${name}` },
  { argument: 1, path: `[].${name}` },
];
const fifteenMinutes = 900_000;
/** A job's own expiration, else its queue's, else (9 and before) that of the whole instance. */
const expiration: readonly DurationSetting[] = [
  { at: whenSent, slot: sendOption("expireInSeconds"), unit: "s" },
  { at: whenSent, slot: sendOption("expireInMinutes"), unit: "min" },
  { at: whenSent, slot: sendOption("expireInHours"), unit: "h" },
  { at: whenCreated, slot: { argument: 1, path: "expireInMinutes" }, unit: "min" },
  { at: whenCreated, slot: { argument: 1, path: "expireInHours" }, unit: "h" },
  { at: whenCreated, slot: { argument: 1, path: "expireInSeconds" }, unit: "s" },
  { at: whenStarted, slot: { argument: 0, path: "expireInMinutes" }, unit: "min" },
  { at: whenStarted, slot: { argument: 0, path: "expireInHours" }, unit: "h" },
  { at: whenStarted, slot: { argument: 0, path: "expireInSeconds" }, unit: "s", default: fifteenMinutes },
];
const heartbeat = { ms: 10_000, because: "pg-boss refuses a heartbeat below 10 s" };

/** `db` joins only when it is built from the transaction's own handle: the adapters take the root client as well. */
export const pgBoss: Library = {
  name: "pg-boss",
  packages: ["pg-boss"],
  dispatches: [
    {
      member: "PgBoss.send",
      to: "queue",
      payload: [{ argument: 1 }, { argument: 0, path: "data" }],
      joins: [joinsByOption(2), joinsInRequest],
    },
    {
      member: ["PgBoss.sendAfter", "PgBoss.sendThrottled", "PgBoss.sendDebounced"],
      to: "queue",
      payload: { argument: 1 },
      joins: joinsByOption(2),
    },
    {
      // 10 and before: insert(jobs, options)
      member: "PgBoss.insert",
      to: "queue",
      payload: [
        { argument: 1, path: "[].data" },
        { argument: 0, path: "[].data" },
      ],
      joins: [joinsByOption(2), joinsByOption(1)],
    },
    { member: "PgBoss.flow", to: "queue", payload: { argument: 0, path: "[].data" }, joins: joinsByOption(1) },
    { member: "PgBoss.publish", to: "pub/sub", payload: { argument: 1 }, joins: joinsByOption(2) },
    { member: "PgBoss.schedule", to: "queue", payload: { argument: 2 }, joins: joinsByOption(3) },
    {
      member: "PgBoss.upsert",
      to: "queue",
      payload: [{ argument: 1 }, { argument: 0, path: "data" }],
      joins: [joinsByOption(2), joinsInRequest],
    },
    { member: ["PgBoss.retry", "PgBoss.resume"], to: "queue", joins: [joinsByOption(2), joinsByOption(1)] },
    { member: "PgBoss.redrive", to: "queue", joins: joinsByOption(1) },
    {
      // 9 and before
      member: ["PgBoss.sendOnce", "PgBoss.sendSingleton"],
      to: "queue",
      payload: { argument: 1 },
      joins: joinsByOption(2),
    },
  ],
  // the handler and the job's completion commit together; the second parameter is the `db` that joins them
  transactions: [{ open: "PgBoss.work", callback: "last", handle: 1, when: { argument: 1, path: "transactional" } }],
  retriesOnThrow: true,
  handlers: [
    // 9 and before hand over a single job
    { registeredBy: "PgBoss.work", handler: { argument: "last" }, batch: true },
    {
      functionType: ["WorkHandler", "WorkWithMetadataHandler", "TransactionalWorkHandler", "BatchWorkHandler"],
      batch: true,
    },
    { parameterType: ["Job", "JobWithMetadata"] },
  ],
  identities: [
    {
      property: ["Job.id", "JobWithMetadata.id"],
      stableOver: "retries",
      chosenBy: [
        { member: "PgBoss.send", slot: { argument: 2, path: "id" } },
        { member: "PgBoss.send", slot: { argument: 0, path: "options.id" } },
        { member: "PgBoss.insert", slot: { argument: 1, path: "[].id" } },
        { member: "PgBoss.insert", slot: { argument: 0, path: "[].id" } },
      ],
    },
    { property: ["JobWithMetadata.retryCount", "JobWithMetadata.startedOn"], stableOver: "nothing" },
  ],
  keys: [
    { member: "PgBoss.send", slot: { argument: 2, path: "id" }, role: "dedup", holds: rowExists },
    { member: "PgBoss.send", slot: { argument: 0, path: "options.id" }, role: "dedup", holds: rowExists },
    { member: "PgBoss.insert", slot: { argument: 1, path: "[].id" }, role: "dedup", holds: rowExists },
    { member: "PgBoss.insert", slot: { argument: 0, path: "[].id" }, role: "dedup", holds: rowExists },
    {
      member: ["PgBoss.send", "PgBoss.sendAfter"],
      slot: { argument: 2, path: "singletonKey" },
      role: "dedup",
      holds: byPolicy,
    },
    { member: "PgBoss.send", slot: { argument: 0, path: "options.singletonKey" }, role: "dedup", holds: byPolicy },
    { member: "PgBoss.insert", slot: { argument: 1, path: "[].singletonKey" }, role: "dedup", holds: byPolicy },
    { member: "PgBoss.insert", slot: { argument: 0, path: "[].singletonKey" }, role: "dedup", holds: byPolicy },
    {
      member: ["PgBoss.sendThrottled", "PgBoss.sendDebounced"],
      slot: { argument: 4 },
      role: "dedup",
      holds: "for the given seconds",
    },
    { member: "PgBoss.sendOnce", slot: { argument: 3 }, role: "dedup", holds: "until the job completes" },
  ],
  leases: [
    {
      id: "P6",
      at: { call: "PgBoss.work" },
      as: "limit",
      // a job that expired is not run again
      unless: [
        { at: whenSent, slot: sendOption("retryLimit"), is: 0 },
        { at: whenCreated, slot: { argument: 1, path: "retryLimit" }, is: 0 },
      ],
      timeout: {
        handler: { argument: "last" },
        batch: { size: { argument: 1, path: "batchSize" }, default: 1 },
      },
      lease: expiration,
    },
    {
      id: "P7",
      at: { call: "PgBoss.work" },
      as: "renewal",
      timeout: { slot: { argument: 1, path: "heartbeatRefreshSeconds" }, unit: "s" },
      lease: [
        {
          at: whenSent,
          slot: sendOption("heartbeatSeconds"),
          unit: "s",
          atLeast: heartbeat,
        },
        { at: whenCreated, slot: { argument: 1, path: "heartbeatSeconds" }, unit: "s", atLeast: heartbeat },
      ],
      consequence: "pg-boss takes the job for dead and hands it to a second worker while the first still runs",
    },
    {
      id: "P8",
      at: { call: "PgBoss.work" },
      as: "order",
      when: { slot: { argument: 1, path: "transactional" }, is: true },
      timeout: expiration,
      lease: { slot: { argument: 1, path: "transactionTimeoutSeconds" }, unit: "s", zero: "off" },
      consequence: "the handler's transaction is cut off while the job may still run",
      advice: "Raise `transactionTimeoutSeconds` above `expireInSeconds`, or lower that",
    },
  ],
};
