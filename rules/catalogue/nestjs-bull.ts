import type { Library, Slot } from "./vocabulary.js";

/** `forRoot` takes the name of a configuration first, if there are several. */
const inModule = (setting: string): Slot[] => [
  { argument: 0, path: `settings.${setting}` },
  { argument: 1, path: `settings.${setting}` },
  { argument: 0, path: `useFactory().settings.${setting}` },
  { argument: 1, path: `useFactory().settings.${setting}` },
];

/** Injected queues are Bull's own: the dispatches stand in `bull`. */
export const nestjsBull: Library = {
  name: "@nestjs/bull",
  packages: ["@nestjs/bull"],
  retriesOnThrow: true,
  handlers: [
    { methodDecorator: "@Process" },
    { registeredBy: "BullModule.registerQueue", handler: { argument: 0, path: "processors[]" } },
    { registeredBy: "BullModule.registerQueue", handler: { argument: 0, path: "processors[].callback" } },
    { functionType: "BullQueueProcessorCallback" },
  ],
  leases: [
    {
      id: "P4",
      at: {
        call: [
          "BullModule.registerQueue",
          "BullModule.registerQueueAsync",
          "BullModule.forRoot",
          "BullModule.forRootAsync",
        ],
      },
      as: "renewal",
      timeout: { slot: inModule("lockRenewTime"), unit: "ms" },
      lease: {
        slot: inModule("lockDuration"),
        unit: "ms",
        default: 30_000,
        atLeast: { ms: 1000, because: "it counts milliseconds" },
      },
    },
  ],
};
