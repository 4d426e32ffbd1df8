import { connect } from "amqplib";
import { listens } from "../../scripts/listens.js";
import { rabbitmqQueues, type AmqpConnection } from "../../src/queues/rabbitmq.js";
import { inCi, ownName, type QueueSubject } from "./subject.js";

export const rabbitmqPort = 5672;
export const address = `amqp://guest:guest@127.0.0.1:${rabbitmqPort.toString()}`;
export const hasRabbitmq = inCi || (await listens(rabbitmqPort));

/** Looks into RabbitMQ, and cleans up, on a connection of its own. */
export async function openBroker() {
  const connection = await connect(address);
  connection.on("error", () => undefined);
  const names = new Set<string>();
  const onChannel = async <T>(work: (channel: Awaited<ReturnType<typeof connection.createChannel>>) => Promise<T>) => {
    const channel = await connection.createChannel();
    channel.on("error", () => undefined);
    try {
      return await work(channel);
    } finally {
      await channel.close().catch(() => undefined);
    }
  };
  return {
    connection,
    onChannel,
    /** Has a queue deleted in the end. */
    own: (name: string) => names.add(name),
    count: (queue: string) =>
      onChannel(async (channel) => (await channel.checkQueue(queue)).messageCount).catch(() => 0),
    async close() {
      await Promise.all([...names].map((name) => onChannel((channel) => channel.deleteQueue(name))));
      await connection.close();
    },
  };
}

/** A connection that tells which queues were declared on it, so that they can be deleted. */
export async function telling(connecting: PromiseLike<AmqpConnection>, own: (queue: string) => unknown) {
  const connection = await connecting;
  const create = connection.createConfirmChannel.bind(connection);
  connection.createConfirmChannel = async () => {
    const channel = await create();
    const assertQueue = channel.assertQueue.bind(channel);
    channel.assertQueue = (name, options) => {
      own(name);
      return assertQueue(name, options);
    };
    return channel;
  };
  return connection;
}

export const rabbitmq: QueueSubject = {
  name: "rabbitmq",
  available: hasRabbitmq,
  expiryTakes: 0.2,
  repeats: true,
  async open() {
    const broker = await openBroker();
    const prefix = ownName();
    const queues = rabbitmqQueues({ connect: () => telling(connect(address), broker.own) });
    const own = <Policy extends { readonly name: string }>(policy: Policy) => ({
      ...policy,
      name: `${prefix}.${policy.name}`,
    });
    return {
      prefix,
      // One server for all runs: the names are told apart.
      queues: {
        ...queues,
        send: (policy, messages) => queues.send(own(policy), messages),
        work: (policy, options, handle) => queues.work(own(policy), options, handle),
        effectiveLease: (policy) => queues.effectiveLease(own(policy)),
      },
      failed: (queue) => broker.count(`${prefix}.${queue}.failed`),
      async close() {
        await queues.close();
        await broker.close();
      },
    };
  },
};
