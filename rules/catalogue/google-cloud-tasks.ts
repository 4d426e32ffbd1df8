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
};
