import type { Join, Library } from "./vocabulary.js";

const joinsByOption = (argument: number): Join => ({ option: { argument, path: "db" } });
const joinsInRequest: Join = { option: { argument: 0, path: "options.db" } };
const rowExists = "while the job's row exists";
const byPolicy = "only with a queue policy or `singletonSeconds`";

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
};
