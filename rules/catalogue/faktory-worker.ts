import type { Library } from "./vocabulary.js";

/** `Client.job` only builds: `push` sends. The open-source server deduplicates nothing. */
export const faktoryWorker: Library = {
  name: "faktory-worker",
  packages: ["faktory-worker"],
  values: {
    Client: ["FaktoryControl.connect()", "Client.connect()"],
    Job: "Client.job()",
    FaktoryControl: ["FaktoryControl.create()", "create()"],
  },
  dispatches: [
    { member: "Client.push", to: "queue", payload: { argument: 0, path: "args" } },
    { member: "Client.pushBulk", to: "queue", payload: { argument: 0, path: "[].args" } },
    { member: "Job.push", to: "queue" },
  ],
  retriesOnThrow: true,
  handlers: [
    { registeredBy: ["FaktoryControl.register", "Worker.register"], handler: { argument: 1 } },
    { functionType: "JobFunction" },
  ],
  identities: [
    {
      property: ["Job.jid", "JobPayload.jid"],
      stableOver: "retries",
      chosenBy: { member: "Client.push", slot: { argument: 0, path: "jid" } },
    },
  ],
  leases: [
    {
      id: "P28",
      at: { call: ["FaktoryControl.register", "Worker.register"] },
      as: "limit",
      timeout: { handler: { argument: 1 } },
      lease: {
        at: {
          namedIn: ["Client.push", "Client.pushBulk", "Client.job"],
          name: [{ argument: 0 }, { argument: 0, path: "jobtype" }, { argument: 0, path: "[].jobtype" }],
          as: { argument: 0 },
        },
        slot: [
          { argument: 0, path: "reserve_for" },
          { argument: 0, path: "[].reserve_for" },
        ],
        unit: "s",
        default: 1_800_000,
      },
    },
  ],
};
