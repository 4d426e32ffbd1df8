import { createHash } from "node:crypto";
import type { Seconds } from "../duration.js";
import { ConfigurationError } from "../errors.js";
import { bodyOf, messageOf } from "./json-body.js";
import { underLease } from "./lease.js";
import { PollingWorker } from "./polling-worker.js";
import type { Message, QueuePolicy, Queues, Settlement } from "./queues.js";

interface SqsEntry {
  Id: string;
  MessageBody: string;
  DelaySeconds?: number;
  MessageGroupId?: string;
  MessageDeduplicationId?: string;
}

interface SqsReceipt {
  QueueUrl: string;
  ReceiptHandle: string | undefined;
}

interface SqsMessage {
  readonly MessageId?: string | undefined;
  readonly ReceiptHandle?: string | undefined;
  readonly Body?: string | undefined;
  readonly Attributes?: Readonly<Partial<Record<string, string>>> | undefined;
}

/** The members of an `SQS` of `@aws-sdk/client-sqs` that this needs. */
export interface SqsClient {
  sendMessageBatch(input: { QueueUrl: string; Entries: SqsEntry[] }): Promise<{
    readonly Failed?:
      readonly { readonly Code?: string | undefined; readonly Message?: string | undefined }[] | undefined;
  }>;
  receiveMessage(
    input: {
      QueueUrl: string;
      MaxNumberOfMessages: number;
      WaitTimeSeconds: number;
      VisibilityTimeout: number;
      MessageSystemAttributeNames: ("ApproximateReceiveCount" | "MessageGroupId" | "SentTimestamp")[];
    },
    options: { abortSignal: AbortSignal },
  ): Promise<{ readonly Messages?: readonly SqsMessage[] | undefined }>;
  deleteMessage(input: SqsReceipt): Promise<unknown>;
  changeMessageVisibility(input: SqsReceipt & { VisibilityTimeout: number }): Promise<unknown>;
  getQueueAttributes(input: {
    QueueUrl: string;
    AttributeNames: ("VisibilityTimeout" | "RedrivePolicy")[];
  }): Promise<{ readonly Attributes?: Readonly<Partial<Record<string, string>>> | undefined }>;
  getQueueUrl(input: {
    QueueName: string;
    QueueOwnerAWSAccountId: string;
  }): Promise<{ readonly QueueUrl?: string | undefined }>;
}

export interface SqsOptions {
  /** Your `SQS` of `@aws-sdk/client-sqs`. Destroying it stays with you. */
  readonly client: SqsClient;
  /** The address of a queue by its name here. One that ends in ".fifo" is a FIFO queue. */
  readonly queueUrl: (name: string) => string;
}

/** What SQS allows in one request; of the bytes, what it has always allowed. */
const batch = { messages: 10, bytes: 262_144 };
const longestDelay: Seconds = 900;
/** From the moment when a message was received. */
const longestVisibility: Seconds = 43_200;
const longestPoll: Seconds = 20;

interface Taken {
  readonly received: SqsMessage;
  /** In milliseconds. */
  readonly receivedAt: number;
}

/**
 * Queues in Amazon SQS, standard and FIFO, which must exist.
 *
 * The lease is the queue's own visibility timeout, read from the queue when a worker starts, whatever `retryAfter` says.
 * It is never renewed. SQS may let an old receipt delete a message that is in other hands, so a worker says nothing more
 * about a job once the lease has ended by its own clock.
 *
 * A job that is given up goes to the dead-letter queue of the queue's redrive policy; a worker starts only where there is
 * one, and where `maxReceiveCount` is above `tries`: else SQS would take jobs away before they are used, and nobody would
 * be told. The worker sends it there and then deletes it, so it may be there twice. Every receipt counts as a start, also
 * of a job that was put off.
 *
 * A standard queue does not notice that a message was sent before, and may deliver one twice by itself: both come under
 * the same job id. A FIFO queue drops a message that was sent in the last five minutes, also when that is done already.
 * Its groups are the messages' `orderKey`, handled one after the other; without one, each message is its own group. Then
 * a job that waits for its next try holds up its group.
 *
 * A delay is at most 15 minutes in a standard queue, and a FIFO queue has none: such a message is refused. A wait before
 * another try ends 12 hours after the last start at the latest. A stop breaks off the request that waits for messages;
 * what SQS has handed out at that moment comes again when its lease ends.
 */
export function sqsQueues({ client, queueUrl }: SqsOptions): Queues {
  const workers = new Set<PollingWorker<Taken>>();

  async function attributes({ name }: QueuePolicy) {
    const { Attributes = {} } = await client.getQueueAttributes({
      QueueUrl: queueUrl(name),
      AttributeNames: ["VisibilityTimeout", "RedrivePolicy"],
    });
    return { lease: Number(Attributes["VisibilityTimeout"]), redrivePolicy: Attributes["RedrivePolicy"] };
  }

  return {
    library: "sqs",

    async send(policy, messages) {
      const QueueUrl = queueUrl(policy.name);
      const isFifo = QueueUrl.endsWith(".fifo");
      const batches = batchesOf(messages.map((message) => entryOf(policy.name, message, isFifo)));
      if (!isFifo) {
        await Promise.all(batches.map((Entries) => sendBatch(client, QueueUrl, Entries)));
        return;
      }
      // In order, and nothing behind what was refused.
      for (const Entries of batches) await sendBatch(client, QueueUrl, Entries);
    },

    effectiveLease: async (policy) => (await attributes(policy)).lease,

    async work(policy, workOptions, handle) {
      const QueueUrl = queueUrl(policy.name);
      const { lease, redrivePolicy } = await attributes(policy);
      const deadLetters = await deadLetterUrl(client, policy, redrivePolicy);
      const worker = new PollingWorker<Taken>({
        ...workOptions,
        // It has waited for messages already.
        pollingInterval: 0,
        async take(room, abortSignal) {
          const { Messages = [] } = await client.receiveMessage(
            {
              QueueUrl,
              // SQS hands out as many of one group as it may at once, and they are to follow each other.
              MaxNumberOfMessages: QueueUrl.endsWith(".fifo") ? 1 : Math.min(room, batch.messages),
              WaitTimeSeconds: longestPoll,
              // What the worker was told, should somebody change the queue meanwhile.
              VisibilityTimeout: lease,
              MessageSystemAttributeNames: ["ApproximateReceiveCount", "MessageGroupId", "SentTimestamp"],
            },
            { abortSignal },
          );
          const receivedAt = Date.now();
          return Messages.map((received) => ({ received, receivedAt }));
        },
        async handle({ received, receivedAt }) {
          const leaseEnd = receivedAt + lease * 1000;
          const message = receivedMessage(received);
          const attempt = Number(received.Attributes?.["ApproximateReceiveCount"] ?? 1);
          const settlement = await underLease(leaseEnd, (leaseLost) => handle({ message, attempt, leaseLost }));
          if (Date.now() >= leaseEnd) return;
          if (settlement.do === "fail")
            await sendBatch(client, deadLetters, [deadLetter(message, received, deadLetters)]);
          await settle(client, { QueueUrl, ReceiptHandle: received.ReceiptHandle }, settlement, receivedAt);
        },
      });
      workers.add(worker);
      return {
        stop: async () => {
          await worker.stop();
          workers.delete(worker);
        },
      };
    },

    async close() {
      await Promise.all([...workers].map((worker) => worker.stop()));
    },
  };
}

function entryOf(queue: string, message: Message, isFifo: boolean): Omit<SqsEntry, "Id"> {
  const { id, delay = 0, orderKey = id } = message;
  const MessageBody = JSON.stringify({ id, ...bodyOf(message) });
  if (isFifo) {
    if (delay > 0)
      throw new ConfigurationError(`Queue "${queue}" is a FIFO queue of SQS, which has no delay for a message.`);
    return { MessageBody, MessageGroupId: groupOf(orderKey), MessageDeduplicationId: id };
  }
  if (delay > longestDelay) {
    throw new ConfigurationError(
      `SQS takes a delay of ${longestDelay} s at most, not ${delay} s, as a message for queue "${queue}" has it.`,
    );
  }
  return { MessageBody, ...(delay > 0 ? { DelaySeconds: Math.ceil(delay) } : {}) };
}

/** SQS takes 128 characters of ASCII, without spaces. */
function groupOf(orderKey: string): string {
  return /^[!-~]{1,128}$/.test(orderKey) ? orderKey : createHash("sha256").update(orderKey).digest("hex");
}

function batchesOf(entries: readonly Omit<SqsEntry, "Id">[]): SqsEntry[][] {
  const batches: SqsEntry[][] = [];
  let bytes = Infinity;
  for (const entry of entries) {
    const size = Buffer.byteLength(entry.MessageBody);
    let last = batches.at(-1);
    if (last === undefined || last.length === batch.messages || bytes + size > batch.bytes) {
      batches.push((last = []));
      bytes = 0;
    }
    last.push({ Id: last.length.toString(), ...entry });
    bytes += size;
  }
  return batches;
}

/** A batch succeeds as a request although some of it, or all, was refused. */
async function sendBatch(client: SqsClient, QueueUrl: string, Entries: SqsEntry[]): Promise<void> {
  const { Failed = [] } = await client.sendMessageBatch({ QueueUrl, Entries });
  const [first] = Failed;
  if (first === undefined) return;
  throw new Error(
    `SQS refused ${Failed.length} of ${Entries.length} messages for ${QueueUrl}: ` +
      [first.Code, first.Message].filter((text) => text !== undefined).join(", "),
  );
}

/** @throws ConfigurationError where jobs that are given up would be lost, or taken away before their last try */
async function deadLetterUrl(
  client: SqsClient,
  policy: QueuePolicy,
  redrivePolicy: string | undefined,
): Promise<string> {
  const { name, tries } = policy;
  if (redrivePolicy === undefined) {
    throw new ConfigurationError(
      `Queue "${name}" does not start: it has no dead-letter queue in SQS, so jobs that are given up would be lost. Give ` +
        "it a redrive policy.",
    );
  }
  const { deadLetterTargetArn, maxReceiveCount } = JSON.parse(redrivePolicy) as {
    deadLetterTargetArn: string;
    maxReceiveCount: number | string;
  };
  if (Number(maxReceiveCount) <= tries) {
    throw new ConfigurationError(
      `Queue "${name}" does not start: the \`maxReceiveCount\` of its redrive policy (${maxReceiveCount}) must be above ` +
        `its tries (${tries}), or SQS takes a job away before the worker can tell of its end. Jobs that are put off count too.`,
    );
  }
  const [account = "", queue = ""] = deadLetterTargetArn.split(":").slice(-2);
  const { QueueUrl } = await client.getQueueUrl({ QueueName: queue, QueueOwnerAWSAccountId: account });
  if (QueueUrl === undefined)
    throw new ConfigurationError(`The dead-letter queue ${deadLetterTargetArn} was not found.`);
  return QueueUrl;
}

function receivedMessage({ MessageId = "", Body = "", Attributes = {} }: SqsMessage): Message {
  let body: unknown;
  try {
    body = JSON.parse(Body);
  } catch {
    // Something else has sent it; it fails the queue's schema.
  }
  const { id } = (body ?? {}) as { readonly id?: unknown };
  return messageOf(typeof id === "string" ? id : MessageId, body, Number(Attributes["SentTimestamp"] ?? Date.now()));
}

function deadLetter({ id }: Message, { Body = "", Attributes = {} }: SqsMessage, url: string): SqsEntry {
  const entry = { Id: "0", MessageBody: Body };
  if (!url.endsWith(".fifo")) return entry;
  return { ...entry, MessageGroupId: Attributes["MessageGroupId"] ?? id, MessageDeduplicationId: id };
}

async function settle(
  client: SqsClient,
  receipt: SqsReceipt,
  settlement: Settlement,
  receivedAt: number,
): Promise<void> {
  if (settlement.do === "complete" || settlement.do === "fail") {
    await client.deleteMessage(receipt);
    return;
  }
  const left = longestVisibility - Math.ceil((Date.now() - receivedAt) / 1000);
  const VisibilityTimeout = Math.max(Math.min(Math.ceil(settlement.delay), left), 0);
  await client.changeMessageVisibility({ ...receipt, VisibilityTimeout });
}
