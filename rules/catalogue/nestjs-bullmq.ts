import type { DurationSetting, Library } from "./vocabulary.js";

const lockDuration: DurationSetting = {
  slot: { argument: 1, path: "lockDuration" },
  unit: "ms",
  default: 30_000,
  atLeast: { ms: 1000, because: "it counts milliseconds" },
};

/** Injected queues are BullMQ's own classes: the dispatches stand in `bullmq`. */
export const nestjsBullmq: Library = {
  name: "@nestjs/bullmq",
  packages: ["@nestjs/bullmq"],
  retriesOnThrow: true,
  terminalError: "UnrecoverableError",
  handlers: [
    { methods: "process", extends: "WorkerHost", classDecorator: "@Processor" },
    { registeredBy: "BullModule.registerQueue", handler: { argument: 0, path: "processors[]" } },
    { registeredBy: "BullModule.registerQueue", handler: { argument: 0, path: "processors[].callback" } },
    { functionType: "BullQueueProcessorCallback" },
  ],
  leases: [
    {
      id: "P1",
      at: { call: "@Processor" },
      as: "renewal",
      unless: { slot: { argument: 1, path: "skipLockRenewal" }, is: true },
      timeout: { slot: { argument: 1, path: "lockRenewTime" }, unit: "ms" },
      lease: lockDuration,
    },
    {
      id: "P2",
      at: { call: "@Processor" },
      as: "limit",
      when: { slot: { argument: 1, path: "skipLockRenewal" }, is: true },
      unless: { slot: { argument: 1, path: "maxStalledCount" }, is: 0 },
      timeout: { handler: "decorated method", method: "process" },
      lease: lockDuration,
      renewedBy: "extendLock",
    },
  ],
};
