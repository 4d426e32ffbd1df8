import type { Library } from "./vocabulary.js";

/** `emit` sends at once. `send` is a cold Observable: the call stands for the subscription that follows it. */
export const nestjsMicroservices: Library = {
  name: "@nestjs/microservices",
  packages: ["@nestjs/microservices"],
  values: { ClientProxy: "ClientProxyFactory.create()" },
  dispatches: [
    {
      member: [
        "ClientProxy.emit",
        "ClientProxy.send",
        "ClientKafka.emit",
        "ClientKafka.send",
        "ClientKafkaProxy.emit",
        "ClientKafkaProxy.send",
        "ClientRMQ.emit",
        "ClientRMQ.send",
        "ClientRedis.emit",
        "ClientRedis.send",
      ],
      to: "topic",
      payload: { argument: 1 },
    },
    {
      member: "ClientKafka.emitBatch",
      to: "topic",
      payload: { argument: 1, path: "messages[]" },
    },
  ],
  // `@MessagePattern` answers a request, and nobody delivers that again
  handlers: [{ methodDecorator: "@EventPattern" }],
};
