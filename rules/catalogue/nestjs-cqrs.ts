import type { Library } from "./vocabulary.js";

/**
 * `CommandBus.execute` is awaited work, and takes part in the transaction: it is followed, not a dispatch.
 * `AggregateRoot.commit` publishes what `apply` collected; it commits no transaction.
 */
export const nestjsCqrs: Library = {
  name: "@nestjs/cqrs",
  packages: ["@nestjs/cqrs"],
  dispatches: [
    {
      member: [
        "EventBus.publish",
        "EventBus.publishAll",
        "IEventBus.publish",
        "IEventBus.publishAll",
        "AggregateRoot.publish",
        "AggregateRoot.publishAll",
        "IAggregateRoot.publish",
        "IAggregateRoot.publishAll",
      ],
      to: "in-process bus",
      payload: { argument: 0 },
    },
    { member: ["AggregateRoot.commit", "IAggregateRoot.commit"], to: "in-process bus" },
  ],
};
