import type { Library } from "./vocabulary.js";

/** `send` of every client is one method of the shared base class; the command that it is given says what happens. */
const send = [
  "Client.send",
  "BedrockRuntimeClient.send",
  "EventBridgeClient.send",
  "FirehoseClient.send",
  "KinesisClient.send",
  "LambdaClient.send",
  "S3Client.send",
  "SESClient.send",
  "SESv2Client.send",
  "SFNClient.send",
  "SNSClient.send",
  "SQSClient.send",
  "SQS.send",
  "SNS.send",
  "EventBridge.send",
  "S3.send",
] as const;

const fiveMinutes = "5 minutes, on FIFO queues and topics";

export const awsSdk: Library = {
  name: "AWS SDK v3",
  packages: [
    "@aws-sdk/client-sqs",
    "@aws-sdk/client-bedrock-runtime",
    "@aws-sdk/client-eventbridge",
    "@aws-sdk/client-firehose",
    "@aws-sdk/client-kinesis",
    "@aws-sdk/client-lambda",
    "@aws-sdk/client-s3",
    "@aws-sdk/client-ses",
    "@aws-sdk/client-sesv2",
    "@aws-sdk/client-sfn",
    "@aws-sdk/client-sns",
    "@aws-sdk/lib-storage",
    "@aws-sdk/smithy-client",
    "@smithy/core",
    "@smithy/smithy-client",
  ],
  dispatches: [
    { member: send, command: "SendMessageCommand", to: "queue", payload: { argument: 0, path: "MessageBody" } },
    {
      member: send,
      command: "SendMessageBatchCommand",
      to: "queue",
      payload: { argument: 0, path: "Entries[].MessageBody" },
    },
    { member: send, command: "PublishCommand", to: "topic", payload: { argument: 0, path: "Message" } },
    {
      member: send,
      command: "PublishBatchCommand",
      to: "topic",
      payload: { argument: 0, path: "PublishBatchRequestEntries[].Message" },
    },
    {
      member: send,
      command: ["PutEventsCommand", "PutPartnerEventsCommand"],
      to: "topic",
      payload: { argument: 0, path: "Entries[].Detail" },
    },
    {
      member: send,
      command: ["StartExecutionCommand", "StartSyncExecutionCommand"],
      to: "workflow",
      payload: { argument: 0, path: "input" },
    },
    {
      member: send,
      command: ["RedriveExecutionCommand", "SendTaskSuccessCommand", "SendTaskFailureCommand"],
      to: "workflow",
    },
    {
      member: send,
      command: ["InvokeCommand", "InvokeAsyncCommand", "InvokeWithResponseStreamCommand"],
      to: "queue",
      payload: { argument: 0, path: "Payload" },
    },
    // Kinesis and Firehose
    {
      member: send,
      command: "PutRecordCommand",
      to: "topic",
      payload: [
        { argument: 0, path: "Data" },
        { argument: 0, path: "Record.Data" },
      ],
    },
    {
      member: send,
      command: ["PutRecordsCommand", "PutRecordBatchCommand"],
      to: "topic",
      payload: { argument: 0, path: "Records[].Data" },
    },
    { member: "SQS.sendMessage", to: "queue", payload: { argument: 0, path: "MessageBody" } },
    { member: "SQS.sendMessageBatch", to: "queue", payload: { argument: 0, path: "Entries[].MessageBody" } },
    { member: "SNS.publish", to: "topic", payload: { argument: 0, path: "Message" } },
    { member: "SNS.publishBatch", to: "topic", payload: { argument: 0, path: "PublishBatchRequestEntries[].Message" } },
    {
      member: ["EventBridge.putEvents", "EventBridge.putPartnerEvents"],
      to: "topic",
      payload: { argument: 0, path: "Entries[].Detail" },
    },
    {
      member: ["SFN.startExecution", "SFN.startSyncExecution"],
      to: "workflow",
      payload: { argument: 0, path: "input" },
    },
    { member: ["Lambda.invoke", "Lambda.invokeAsync"], to: "queue", payload: { argument: 0, path: "Payload" } },
    { member: "Kinesis.putRecord", to: "topic", payload: { argument: 0, path: "Data" } },
    { member: "Kinesis.putRecords", to: "topic", payload: { argument: 0, path: "Records[].Data" } },
    { member: "Firehose.putRecord", to: "topic", payload: { argument: 0, path: "Record.Data" } },
    { member: "Firehose.putRecordBatch", to: "topic", payload: { argument: 0, path: "Records[].Data" } },
  ],
  handlers: [{ parameterType: "Message" }],
  identities: [
    { property: "Message.MessageId", stableOver: "retries" },
    { property: "Message.ReceiptHandle", stableOver: "nothing" },
  ],
  keys: [
    {
      member: ["new SendMessageCommand", "SQS.sendMessage"],
      slot: { argument: 0, path: "MessageDeduplicationId" },
      role: "dedup",
      holds: fiveMinutes,
    },
    {
      member: ["new SendMessageBatchCommand", "SQS.sendMessageBatch"],
      slot: { argument: 0, path: "Entries[].MessageDeduplicationId" },
      role: "dedup",
      holds: fiveMinutes,
    },
    {
      member: ["new PublishCommand", "SNS.publish"],
      slot: { argument: 0, path: "MessageDeduplicationId" },
      role: "dedup",
      holds: fiveMinutes,
    },
    {
      member: ["new PublishBatchCommand", "SNS.publishBatch"],
      slot: { argument: 0, path: "PublishBatchRequestEntries[].MessageDeduplicationId" },
      role: "dedup",
      holds: fiveMinutes,
    },
    {
      member: ["new StartExecutionCommand", "SFN.startExecution"],
      slot: { argument: 0, path: "name" },
      role: "dedup",
      holds: "90 days, on standard workflows",
    },
  ],
  objects: [
    {
      member: [
        "new PutObjectCommand",
        "new CopyObjectCommand",
        "new CreateMultipartUploadCommand",
        "S3.putObject",
        "S3.copyObject",
      ],
      slot: { argument: 0, path: "Key" },
    },
    { member: "new Upload", slot: { argument: 0, path: "params.Key" } },
  ],
  effects: [
    {
      member: send,
      command: [
        "SendEmailCommand",
        "SendRawEmailCommand",
        "SendTemplatedEmailCommand",
        "SendBulkTemplatedEmailCommand",
        "SendBulkEmailCommand",
      ],
      kind: "mail",
    },
    {
      member: [
        "SES.sendEmail",
        "SES.sendRawEmail",
        "SES.sendTemplatedEmail",
        "SES.sendBulkTemplatedEmail",
        "SESv2.sendEmail",
        "SESv2.sendBulkEmail",
      ],
      kind: "mail",
    },
    {
      member: send,
      command: [
        "PutObjectCommand",
        "DeleteObjectCommand",
        "DeleteObjectsCommand",
        "CopyObjectCommand",
        "RestoreObjectCommand",
        "CreateMultipartUploadCommand",
        "UploadPartCommand",
        "CompleteMultipartUploadCommand",
        "AbortMultipartUploadCommand",
        "PutObjectTaggingCommand",
        "PutObjectAclCommand",
      ],
      kind: "object store",
    },
    {
      member: [
        "S3.putObject",
        "S3.deleteObject",
        "S3.deleteObjects",
        "S3.copyObject",
        "S3.restoreObject",
        "S3.completeMultipartUpload",
        "Upload.done",
      ],
      kind: "object store",
    },
    {
      member: send,
      command: ["GetObjectCommand", "HeadObjectCommand", "ListObjectsCommand", "ListObjectsV2Command"],
      kind: "object store",
      reads: true,
    },
    {
      member: ["S3.getObject", "S3.headObject", "S3.listObjects", "S3.listObjectsV2"],
      kind: "object store",
      reads: true,
    },
    {
      member: send,
      command: [
        "InvokeModelCommand",
        "InvokeModelWithResponseStreamCommand",
        "ConverseCommand",
        "ConverseStreamCommand",
        "StartAsyncInvokeCommand",
      ],
      kind: "model",
    },
    {
      member: ["BedrockRuntime.invokeModel", "BedrockRuntime.converse", "BedrockRuntime.converseStream"],
      kind: "model",
    },
  ],
  leases: [
    {
      id: "P10",
      at: { call: ["new ReceiveMessageCommand", "SQS.receiveMessage"] },
      as: "limit",
      timeout: {
        handler: "what follows",
        batch: { size: { argument: 0, path: "MaxNumberOfMessages" }, default: 1 },
      },
      lease: [
        { slot: { argument: 0, path: "VisibilityTimeout" }, unit: "s" },
        {
          at: {
            anywhere: [
              "new CreateQueueCommand",
              "SQS.createQueue",
              "new SetQueueAttributesCommand",
              "SQS.setQueueAttributes",
            ],
          },
          slot: { argument: 0, path: "Attributes.VisibilityTimeout" },
          unit: "s",
          default: 30_000,
          defaultIs: "the default of Amazon SQS where the queue sets none",
        },
      ],
      renewedBy: [
        "ChangeMessageVisibilityCommand",
        "ChangeMessageVisibilityBatchCommand",
        "changeMessageVisibility",
        "changeMessageVisibilityBatch",
      ],
      endedBy: ["DeleteMessageCommand", "DeleteMessageBatchCommand", "deleteMessage", "deleteMessageBatch"],
      consequence: "the message becomes visible again, and a second worker takes it while the first still runs",
      advice: "Lower the limit, or say a longer `VisibilityTimeout` where the message is received",
    },
  ],
};
