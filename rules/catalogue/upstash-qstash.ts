import type { Library } from "./vocabulary.js";

const tenMinutes = "10 minutes";

/** The handler is an HTTP route of the user's own, and the message id reaches it in a header. */
export const upstashQstash: Library = {
  name: "Upstash QStash",
  packages: ["@upstash/qstash"],
  values: { Queue: "Client.queue()", Schedules: "Client.schedules" },
  dispatches: [
    {
      member: ["Client.publish", "Client.publishJSON", "Queue.enqueue", "Queue.enqueueJSON", "Schedules.create"],
      to: "queue",
      payload: { argument: 0, path: "body" },
    },
    { member: ["Client.batch", "Client.batchJSON"], to: "queue", payload: { argument: 0, path: "[].body" } },
  ],
  keys: [
    {
      member: ["Client.publish", "Client.publishJSON", "Queue.enqueue", "Queue.enqueueJSON"],
      slot: { argument: 0, path: "deduplicationId" },
      role: "dedup",
      holds: tenMinutes,
    },
    {
      member: ["Client.batch", "Client.batchJSON"],
      slot: { argument: 0, path: "[].deduplicationId" },
      role: "dedup",
      holds: tenMinutes,
    },
    {
      member: "Schedules.create",
      slot: { argument: 0, path: "scheduleId" },
      role: "dedup",
      holds: "while the schedule exists",
    },
  ],
  leases: [
    {
      id: "P27",
      at: { call: ["Client.publish", "Client.publishJSON", "Queue.enqueue", "Queue.enqueueJSON"] },
      as: "limit",
      timeout: { handler: { routeOf: { argument: 0, path: "url" } } },
      lease: { slot: { argument: 0, path: "timeout" }, unit: "s" },
      consequence: "QStash gives the delivery up and sends it again while the route still works on the first",
    },
  ],
};
