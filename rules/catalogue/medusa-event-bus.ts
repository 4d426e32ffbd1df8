import type { Library } from "./vocabulary.js";

/** A bus behind an interface: local, or Redis with BullMQ. `MessageAggregator` only collects. */
export const medusaEventBus: Library = {
  name: "Medusa event bus",
  packages: ["@medusajs/types", "@medusajs/utils", "@medusajs/medusa"],
  importedFrom: ["@medusajs/framework"],
  dispatches: [
    {
      member: [
        "IEventBusModuleService.emit",
        "IEventBusService.emit",
        "AbstractEventBusModuleService.emit",
        "EventBusService.emit",
      ],
      to: "in-process bus",
      payload: [{ argument: 0, path: "data" }, { argument: 0, path: "[].data" }, { argument: 1 }],
    },
    // emits, after the method that it decorates, what the method collected
    { member: "@EmitEvents", to: "in-process bus" },
  ],
};
