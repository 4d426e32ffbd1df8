import type { Library } from "./vocabulary.js";

/** The handler is an HTTP route of the user's own, and the task's name reaches it in a header. */
export const googleCloudTasks: Library = {
  name: "Google Cloud Tasks",
  packages: ["@google-cloud/tasks"],
  dispatches: [
    {
      member: "CloudTasksClient.createTask",
      to: "queue",
      payload: [
        { argument: 0, path: "task.httpRequest.body" },
        { argument: 0, path: "task.appEngineHttpRequest.body" },
      ],
    },
    { member: "CloudTasksClient.runTask", to: "queue" },
  ],
  keys: [
    {
      member: "CloudTasksClient.createTask",
      slot: { argument: 0, path: "task.name" },
      role: "dedup",
      holds: "about 1 hour after the task ran, 9 days for queues made by queue.yaml",
    },
  ],
  leases: [
    {
      id: "P22",
      at: { call: "CloudTasksClient.createTask" },
      as: "limit",
      timeout: {
        handler: {
          routeOf: [
            { argument: 0, path: "task.httpRequest.url" },
            { argument: 0, path: "task.appEngineHttpRequest.relativeUri" },
          ],
        },
      },
      lease: { slot: { argument: 0, path: "task.dispatchDeadline" }, unit: "written", default: 600_000 },
      consequence: "Cloud Tasks gives the request up and sends it again while the route still works on the first",
      advice: "Raise `dispatchDeadline` (30 minutes at most), or lower the limits in the route",
    },
  ],
};
