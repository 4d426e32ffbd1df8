import type { DurationSetting, Library, Reach } from "./vocabulary.js";

/** `lambda.Function` and what extends it; the namespace before the name is whatever the import calls it. */
const functions = [
  "new *.Function",
  "new *.NodejsFunction",
  "new *.DockerImageFunction",
  "new *.SingletonFunction",
  "new *.PythonFunction",
  "new *.GoFunction",
] as const;
const queues = "new *.Queue";
const eventSource = "new *.SqsEventSource";
const functionTimeout = (at: Reach): DurationSetting => ({
  at,
  slot: { argument: 2, path: "timeout" },
  unit: "written",
  default: 3000,
});
const visibilityTimeout = (at: Reach): DurationSetting => ({
  at,
  slot: { argument: 2, path: "visibilityTimeout" },
  unit: "written",
  default: 30_000,
});
const again = {
  consequence:
    "AWS refuses a function timeout above the visibility timeout when you deploy, and at an equal one the message becomes visible again while the function still runs",
  advice: "Raise `visibilityTimeout` (AWS advises six times the function's timeout), or lower the function's timeout",
};

/** Declares queues and functions, and runs neither: it matters for the timeout rule alone. */
export const awsCdkLib: Library = {
  name: "AWS CDK",
  packages: [
    "aws-cdk-lib",
    // version 1
    "@aws-cdk/core",
    "@aws-cdk/aws-sqs",
    "@aws-cdk/aws-lambda",
    "@aws-cdk/aws-lambda-event-sources",
    "@aws-cdk/aws-lambda-nodejs",
    "@aws-cdk/aws-lambda-python-alpha",
  ],
  values: {
    // `import * as cdk from "aws-cdk-lib"`
    aws_sqs: "*.aws_sqs",
    aws_lambda: "*.aws_lambda",
    aws_lambda_nodejs: "*.aws_lambda_nodejs",
    aws_lambda_event_sources: "*.aws_lambda_event_sources",
    Duration: [
      "*.Duration",
      "Duration.millis()",
      "Duration.seconds()",
      "Duration.minutes()",
      "Duration.hours()",
      "Duration.days()",
      "Duration.parse()",
    ],
  },
  durations: [
    { member: "Duration.millis", reads: "ms", makes: "written" },
    { member: "Duration.seconds", reads: "s", makes: "written" },
    { member: "Duration.minutes", reads: "min", makes: "written" },
    { member: "Duration.hours", reads: "h", makes: "written" },
    { member: "Duration.days", reads: "d", makes: "written" },
    { member: "Duration.parse", reads: "written", makes: "written" },
    { member: "Duration.toMilliseconds", of: "receiver", reads: "written", makes: "ms" },
    { member: "Duration.toSeconds", of: "receiver", reads: "written", makes: "s" },
    { member: "Duration.toMinutes", of: "receiver", reads: "written", makes: "min" },
  ],
  leases: [
    {
      id: "P13",
      at: { call: "*.addEventSource" },
      as: "limit",
      timeout: functionTimeout({ made: "receiver", by: functions }),
      lease: visibilityTimeout({ made: { argument: 0 }, by: queues, from: { made: { argument: 0 }, by: eventSource } }),
      margin: {
        times: 6,
        plus: {
          at: { made: { argument: 0 }, by: eventSource },
          slot: { argument: 1, path: "maxBatchingWindow" },
          unit: "written",
        },
      },
      ...again,
    },
    {
      id: "P13",
      at: { call: functions },
      as: "limit",
      timeout: { slot: { argument: 2, path: "timeout" }, unit: "written", default: 3000 },
      lease: visibilityTimeout({
        made: { argument: 0 },
        by: queues,
        from: { made: { argument: 2, path: "events[]" }, by: eventSource },
      }),
      margin: { times: 6 },
      ...again,
    },
    {
      id: "P13",
      at: { call: "new *.EventSourceMapping" },
      as: "limit",
      timeout: functionTimeout({ made: { argument: 2, path: "target" }, by: functions }),
      lease: visibilityTimeout({ made: { argument: 2, path: "eventSourceArn" }, by: queues }),
      margin: {
        times: 6,
        plus: { slot: { argument: 2, path: "maxBatchingWindow" }, unit: "written" },
      },
      ...again,
    },
    {
      id: "P13",
      at: { call: "*.addEventSourceMapping" },
      as: "limit",
      timeout: functionTimeout({ made: "receiver", by: functions }),
      lease: visibilityTimeout({ made: { argument: 1, path: "eventSourceArn" }, by: queues }),
      margin: {
        times: 6,
        plus: { slot: { argument: 1, path: "maxBatchingWindow" }, unit: "written" },
      },
      ...again,
    },
  ],
};
