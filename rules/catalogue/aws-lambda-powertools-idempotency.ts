import type { Library } from "./vocabulary.js";

const oneHour = "1 hour, unless `expiresAfterSeconds` says otherwise";

export const awsLambdaPowertoolsIdempotency: Library = {
  name: "Powertools for AWS Lambda: idempotency",
  packages: ["@aws-lambda-powertools/idempotency"],
  keys: [
    {
      member: "new IdempotencyConfig",
      slot: { argument: 0, path: "eventKeyJmesPath" },
      role: "idempotency",
      holds: oneHour,
      isPathIntoEvent: true,
    },
    {
      member: "makeIdempotent",
      slot: { argument: 1, path: "config.eventKeyJmesPath" },
      role: "idempotency",
      holds: oneHour,
      isPathIntoEvent: true,
    },
    {
      member: ["@idempotent", "makeHandlerIdempotent"],
      slot: { argument: 0, path: "config.eventKeyJmesPath" },
      role: "idempotency",
      holds: oneHour,
      isPathIntoEvent: true,
    },
  ],
};
