import type { Library } from "./vocabulary.js";

/** Injected queues are BullMQ's own classes: the dispatches stand in `bullmq`. */
export const nestjsBullmq: Library = {
  name: "@nestjs/bullmq",
  packages: ["@nestjs/bullmq"],
  handlers: [
    { methods: "process", extends: "WorkerHost", classDecorator: "@Processor" },
    { registeredBy: "BullModule.registerQueue", handler: { argument: 0, path: "processors[]" } },
    { registeredBy: "BullModule.registerQueue", handler: { argument: 0, path: "processors[].callback" } },
    { functionType: "BullQueueProcessorCallback" },
  ],
};
