import type { Library } from "./vocabulary.js";

const configured = ["QueueManager.init", "QueueManagerSingleton.init", "defineConfig", "new Worker"] as const;

/**
 * Also `@adonisjs/queue`, which re-exports it. The builders are lazy promises: a builder that is awaited after the
 * commit is safe, one that nobody awaits sends nothing. `.with(knex(trx))` joins, although no page says so.
 */
export const boringnodeQueue: Library = {
  name: "@boringnode/queue and @adonisjs/queue",
  packages: ["@boringnode/queue"],
  importedFrom: ["@adonisjs/queue"],
  dispatches: [
    {
      member: "Job.dispatch",
      to: "queue",
      payload: { argument: 0 },
      sentBy: ["then", "run"],
      joins: { chained: "with" },
    },
    {
      member: "Job.dispatchMany",
      to: "queue",
      payload: { argument: 0, path: "[]" },
      sentBy: ["then", "run"],
      joins: { chained: "with" },
    },
    {
      member: "Job.schedule",
      to: "queue",
      payload: { argument: 0 },
      sentBy: ["then", "run"],
    },
    {
      member: [
        "Adapter.push",
        "Adapter.pushOn",
        "Adapter.pushLater",
        "Adapter.pushLaterOn",
        "Adapter.pushMany",
        "Adapter.pushManyOn",
      ],
      to: "queue",
    },
  ],
  retriesOnThrow: true,
  handlers: [{ methods: "execute", extends: "Job" }],
  identities: [{ property: ["Job.context.jobId", "JobContext.jobId"], stableOver: "retries" }],
  keys: [
    {
      member: "JobDispatcher.dedup",
      slot: { argument: 0, path: "id" },
      role: "dedup",
      holds: "until the job finishes, or for its ttl",
    },
    { member: "ScheduleBuilder.id", slot: { argument: 0 }, role: "dedup", holds: "while the schedule exists" },
  ],
  values: {
    JobDispatcher: [
      "Job.dispatch()",
      "JobDispatcher.toQueue()",
      "JobDispatcher.in()",
      "JobDispatcher.priority()",
      "JobDispatcher.group()",
      "JobDispatcher.with()",
      "JobDispatcher.dedup()",
    ],
    ScheduleBuilder: [
      "Job.schedule()",
      "ScheduleBuilder.cron()",
      "ScheduleBuilder.every()",
      "ScheduleBuilder.timezone()",
    ],
  },
  leases: [
    {
      id: "P29",
      at: { extends: "Job" },
      before: { package: "@boringnode/queue", version: "0.6.0" },
      as: "limit",
      timeout: [
        { slot: { argument: 0, path: "options.timeout" }, unit: "ms" },
        { at: { anywhere: configured }, slot: { argument: 0, path: "worker.timeout" }, unit: "ms" },
      ],
      lease: {
        at: { anywhere: configured },
        slot: { argument: 0, path: "worker.stalledThreshold" },
        unit: "ms",
        default: 30_000,
      },
      advice: "Lower `timeout`, raise `stalledThreshold`, or install 0.6.0, which renews the lease by itself",
    },
  ],
};
