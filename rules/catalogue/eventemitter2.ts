import type { Library } from "./vocabulary.js";

/**
 * Also the emitter of `@nestjs/event-emitter`. Listeners run in the process, and never a second time: they are no job
 * handlers.
 */
export const eventemitter2: Library = {
  name: "eventemitter2 and @nestjs/event-emitter",
  packages: ["eventemitter2"],
  importedFrom: ["@nestjs/event-emitter"],
  dispatches: [
    { member: ["EventEmitter2.emit", "EventEmitter2.emitAsync"], to: "in-process bus", payload: { argument: 1 } },
  ],
};
