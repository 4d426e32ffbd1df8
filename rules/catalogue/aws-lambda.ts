import type { Library } from "./vocabulary.js";

/** Types only: what a Lambda function is called with. Without partial batch responses a failure delivers the whole batch again. */
export const awsLambda: Library = {
  name: "AWS Lambda event types",
  packages: ["@types/aws-lambda"],
  importedFrom: ["aws-lambda"],
  retriesOnThrow: true,
  handlers: [
    {
      functionType: ["SQSHandler", "SNSHandler"],
      parameterType: ["SQSEvent", "SNSEvent"],
      jobAt: "Records",
      batch: true,
    },
    {
      functionType: ["KinesisStreamHandler", "DynamoDBStreamHandler"],
      parameterType: ["KinesisStreamEvent", "DynamoDBStreamEvent"],
      jobAt: "Records",
      batch: true,
    },
    { functionType: ["EventBridgeHandler", "ScheduledHandler"], parameterType: ["EventBridgeEvent", "ScheduledEvent"] },
    { functionType: "MSKHandler", parameterType: ["MSKEvent", "SelfManagedKafkaEvent"] },
    { parameterType: ["SQSRecord", "SNSEventRecord", "SNSMessage", "KinesisStreamRecord", "DynamoDBRecord"] },
  ],
  identities: [
    {
      property: [
        "SQSRecord.messageId",
        "SNSMessage.MessageId",
        "EventBridgeEvent.id",
        "KinesisStreamRecord.eventID",
        "KinesisStreamRecordPayload.sequenceNumber",
        "DynamoDBRecord.eventID",
      ],
      stableOver: "retries",
    },
    { property: ["SQSRecord.receiptHandle", "Context.awsRequestId"], stableOver: "nothing" },
  ],
};
