import type { Library } from "./vocabulary.js";

const fiveMinutes = "5 minutes, on FIFO queues and topics";

/** A call without callback only builds a request, but none is built without being sent by `.promise()` or `.send()`. */
export const awsSdkV2: Library = {
  name: "AWS SDK v2",
  packages: ["aws-sdk"],
  dispatches: [
    { member: "SQS.sendMessage", to: "queue", payload: { argument: 0, path: "MessageBody" } },
    { member: "SQS.sendMessageBatch", to: "queue", payload: { argument: 0, path: "Entries[].MessageBody" } },
    { member: "SNS.publish", to: "topic", payload: { argument: 0, path: "Message" } },
    { member: "SNS.publishBatch", to: "topic", payload: { argument: 0, path: "PublishBatchRequestEntries[].Message" } },
    {
      member: ["EventBridge.putEvents", "CloudWatchEvents.putEvents"],
      to: "topic",
      payload: { argument: 0, path: "Entries[].Detail" },
    },
    {
      member: ["StepFunctions.startExecution", "StepFunctions.startSyncExecution"],
      to: "workflow",
      payload: { argument: 0, path: "input" },
    },
    { member: ["Lambda.invoke", "Lambda.invokeAsync"], to: "queue", payload: { argument: 0, path: "Payload" } },
    { member: "Kinesis.putRecord", to: "topic", payload: { argument: 0, path: "Data" } },
    { member: "Kinesis.putRecords", to: "topic", payload: { argument: 0, path: "Records[].Data" } },
    { member: "Firehose.putRecord", to: "topic", payload: { argument: 0, path: "Record.Data" } },
    { member: "Firehose.putRecordBatch", to: "topic", payload: { argument: 0, path: "Records[].Data" } },
  ],
  keys: [
    {
      member: ["SQS.sendMessage", "SNS.publish"],
      slot: { argument: 0, path: "MessageDeduplicationId" },
      role: "dedup",
      holds: fiveMinutes,
    },
    {
      member: "SQS.sendMessageBatch",
      slot: { argument: 0, path: "Entries[].MessageDeduplicationId" },
      role: "dedup",
      holds: fiveMinutes,
    },
    {
      member: "StepFunctions.startExecution",
      slot: { argument: 0, path: "name" },
      role: "dedup",
      holds: "90 days, on standard workflows",
    },
  ],
  objects: [{ member: ["S3.putObject", "S3.upload", "S3.copyObject"], slot: { argument: 0, path: "Key" } }],
  effects: [
    {
      member: [
        "SES.sendEmail",
        "SES.sendRawEmail",
        "SES.sendTemplatedEmail",
        "SES.sendBulkTemplatedEmail",
        "SESV2.sendEmail",
        "SESV2.sendBulkEmail",
      ],
      kind: "mail",
    },
    {
      member: [
        "S3.putObject",
        "S3.deleteObject",
        "S3.deleteObjects",
        "S3.copyObject",
        "S3.upload",
        "S3.restoreObject",
        "S3.completeMultipartUpload",
      ],
      kind: "object store",
    },
    {
      member: ["S3.getObject", "S3.headObject", "S3.listObjects", "S3.listObjectsV2"],
      kind: "object store",
      reads: true,
    },
  ],
  leases: [
    {
      id: "P10",
      at: { call: "SQS.receiveMessage" },
      as: "limit",
      timeout: {
        handler: "what follows",
        batch: { size: { argument: 0, path: "MaxNumberOfMessages" }, default: 1 },
      },
      lease: {
        slot: { argument: 0, path: "VisibilityTimeout" },
        unit: "s",
        default: 30_000,
        defaultIs: "the default of Amazon SQS where the queue sets none",
      },
      renewedBy: ["changeMessageVisibility", "changeMessageVisibilityBatch"],
      endedBy: ["deleteMessage", "deleteMessageBatch"],
      consequence: "the message becomes visible again, and a second worker takes it while the first still runs",
      advice: "Lower the limit, or say a longer `VisibilityTimeout` where the message is received",
    },
  ],
};
