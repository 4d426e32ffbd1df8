import { requireSeconds, type Seconds } from "../duration.js";
import { ConfigurationError } from "../errors.js";
import { within } from "../time-limit.js";
import { UnconfirmedPublishError } from "./publish-error.js";
import type { Message, Queues } from "./queues.js";

export { UnconfirmedPublishError } from "./publish-error.js";

interface KafkaMessage {
  key: string;
  value: string;
  timestamp: string;
  headers: Record<string, string>;
}

/** The members of a producer of `kafkajs` that this needs. */
export interface KafkaProducer {
  send(record: { topic: string; acks: number; messages: KafkaMessage[] }): Promise<unknown>;
}

export interface KafkaOptions {
  /** A connected producer of `kafkajs`. Disconnecting it stays with you. */
  readonly producer: KafkaProducer;
  /** The topic of a queue by its name here. Default: the same. */
  readonly topic?: (name: string) => string;
  /** How long to wait for Kafka to confirm messages, in seconds. Default 15. */
  readonly sendTimeout?: Seconds;
}

/** All replicas that are in sync have it. */
const allInSync = -1;

/**
 * Topics of Kafka, to publish to through kafkajs. They have no worker here: a topic hands out no single jobs, so there is
 * no lease, no wait between tries and no place for failed jobs. `startWorker` is refused; consume with Kafka's own
 * consumers, which get messages at least once, and let a ledger stop what comes twice.
 *
 * A message's value is its payload, as JSON. Its headers: `aftercommit-id`, the job's id, the same whenever it is sent
 * again; `aftercommit-occurred-at`; and what travels for programs that watch, such as `traceparent`. Its key is the
 * `orderKey`, else the id. Messages of one key leave an outbox in order, one batch after the other; that kafkajs keeps
 * them in order when it tries again by itself takes a producer with `idempotent: true`.
 *
 * A message counts as sent when all replicas in sync have confirmed it. Kafka knows no delay: such a message is refused.
 */
export function kafkaTopics(options: KafkaOptions): Queues {
  const { producer, topic = (name: string) => name } = options;
  const sendTimeout = requireSeconds(options.sendTimeout ?? 15, "`sendTimeout`");
  const noWorker = (name: string) =>
    new ConfigurationError(
      `Queue "${name}" is a topic of Kafka, which hands out no single jobs: it has no lease and no tries. Consume it with ` +
        "a consumer of Kafka's, and let a ledger stop what comes twice.",
    );

  return {
    library: "kafka",

    async send({ name }, messages) {
      if (messages.length === 0) return;
      const record = { topic: topic(name), acks: allInSync, messages: messages.map((one) => kafkaMessage(name, one)) };
      try {
        await within(sendTimeout, "Sending", producer.send(record));
      } catch (error) {
        throw new UnconfirmedPublishError("Kafka", name, error);
      }
    },

    effectiveLease: ({ name }) => Promise.reject(noWorker(name)),
    work: ({ name }) => Promise.reject(noWorker(name)),
    close: () => Promise.resolve(),
  };
}

function kafkaMessage(queue: string, { id, payload, occurredAt, orderKey = id, delay, meta }: Message): KafkaMessage {
  if (delay !== undefined && delay > 0) {
    throw new ConfigurationError(`Queue "${queue}" is a topic of Kafka, which knows no delay for a message.`);
  }
  return {
    key: orderKey,
    value: payload,
    timestamp: occurredAt.getTime().toString(),
    headers: { ...meta, "aftercommit-id": id, "aftercommit-occurred-at": occurredAt.toISOString() },
  };
}
