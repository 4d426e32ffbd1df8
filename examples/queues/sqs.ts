import {
  ChangeMessageVisibilityCommand,
  DeleteMessageCommand,
  ReceiveMessageCommand,
  SendMessageCommand,
  type Message as SqsMessage,
  type SQSClient,
} from "@aws-sdk/client-sqs";
import type { JobId, Message, Queues, QueuePolicy, RunningWorker, Settlement, TakenMessage } from "aftercommit";

/** What a message of SQS carries. */
interface Body {
  readonly id: JobId;
  readonly payload: string;
  readonly occurredAt: string;
}

type Handle = (taken: TakenMessage) => Promise<Settlement>;

/**
 * A queue adapter of one's own, for Amazon SQS: what `defineConnection` needs of a queue, in one file.
 *
 * A message is sent again by a relay that was killed, and SQS may deliver it twice besides: both come under the same job
 * id, and it is the handler's ledger or key that makes them one operation.
 *
 * @param queueUrl of each queue by its name
 */
export function sqsQueues(client: SQSClient, queueUrl: (name: string) => string): Queues {
  return {
    library: "sqs",

    async send({ name }, messages) {
      await Promise.all(messages.map((message) => client.send(commandFor(queueUrl(name), message))));
    },

    // Each receipt says its own visibility timeout, so what the queue has by default does not matter.
    effectiveLease: ({ retryAfter }) => Promise.resolve(retryAfter),

    work(policy, { concurrency, onError }, handle) {
      const url = queueUrl(policy.name);
      const stopping = new AbortController();
      const loops = Array.from({ length: concurrency }, () => receive(client, url, policy, handle, onError, stopping));
      const worker: RunningWorker = {
        stop: async () => {
          stopping.abort();
          await Promise.all(loops);
        },
      };
      return Promise.resolve(worker);
    },

    close: () => Promise.resolve(),
  };
}

function commandFor(QueueUrl: string, { id, payload, occurredAt, delay = 0 }: Message): SendMessageCommand {
  const body: Body = { id, payload, occurredAt: occurredAt.toISOString() };
  return new SendMessageCommand({ QueueUrl, MessageBody: JSON.stringify(body), DelaySeconds: Math.ceil(delay) });
}

/** Takes one message at a time, until it is told to stop. */
async function receive(
  client: SQSClient,
  QueueUrl: string,
  policy: QueuePolicy,
  handle: Handle,
  onError: (error: unknown) => void,
  stopping: AbortController,
): Promise<void> {
  const command = new ReceiveMessageCommand({
    QueueUrl,
    MaxNumberOfMessages: 1,
    WaitTimeSeconds: 20,
    VisibilityTimeout: Math.floor(policy.retryAfter),
    MessageSystemAttributeNames: ["ApproximateReceiveCount"],
  });
  while (!stopping.signal.aborted) {
    try {
      const { Messages = [] } = await client.send(command, { abortSignal: stopping.signal });
      for (const message of Messages) await handleOne(client, QueueUrl, policy, message, handle);
    } catch (error) {
      if (!stopping.signal.aborted) onError(error);
    }
  }
}

async function handleOne(
  client: SQSClient,
  QueueUrl: string,
  policy: QueuePolicy,
  received: SqsMessage,
  handle: Handle,
): Promise<void> {
  const { id, payload, occurredAt } = JSON.parse(received.Body ?? "") as Body;
  const settlement = await handle({
    message: { id, payload, occurredAt: new Date(occurredAt) },
    attempt: Number(received.Attributes?.ApproximateReceiveCount ?? 1),
    leaseLost: AbortSignal.timeout(policy.retryAfter * 1000),
  });
  const { ReceiptHandle } = received;
  switch (settlement.do) {
    case "complete":
      await client.send(new DeleteMessageCommand({ QueueUrl, ReceiptHandle }));
      break;
    // SQS counts each time that a message is received, so one that is put off comes nearer to its last try.
    case "postpone":
    case "retry": {
      const VisibilityTimeout = Math.ceil(settlement.delay);
      await client.send(new ChangeMessageVisibilityCommand({ QueueUrl, ReceiptHandle, VisibilityTimeout }));
      break;
    }
    case "fail":
    // Left where it is: the queue's redrive policy moves it to the dead-letter queue.
  }
}
