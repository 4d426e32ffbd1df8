import type { Library } from "./vocabulary.js";

/** Injected queues are Bull's own: the dispatches stand in `bull`. */
export const nestjsBull: Library = {
  name: "@nestjs/bull",
  packages: ["@nestjs/bull"],
  handlers: [
    { methodDecorator: "@Process" },
    { registeredBy: "BullModule.registerQueue", handler: { argument: 0, path: "processors[]" } },
    { registeredBy: "BullModule.registerQueue", handler: { argument: 0, path: "processors[].callback" } },
    { functionType: "BullQueueProcessorCallback" },
  ],
};
