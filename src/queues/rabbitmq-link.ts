/** Connections and channels of RabbitMQ, as far as queues need them, opened anew when they are lost. */

import type { Seconds } from "../duration.js";
import { ConfigurationError, messageOf } from "../errors.js";
import { within } from "../time-limit.js";

/** What a message is published with, under amqplib's names. */
export interface AmqpOptions {
  readonly headers?: Readonly<Record<string, unknown>>;
  readonly messageId?: string;
  /** In seconds. */
  readonly timestamp?: number;
  readonly contentType?: string;
}

/** The properties of a message that has arrived. */
export type AmqpProperties = { readonly [Name in keyof AmqpOptions]: AmqpOptions[Name] | undefined };

export interface AmqpMessage {
  readonly content: Buffer;
  readonly fields: { readonly deliveryTag: number; readonly redelivered: boolean };
  readonly properties: AmqpProperties;
}

/** The members of a `ConfirmChannel` of amqplib that this needs. */
export interface AmqpChannel {
  assertQueue(name: string, options: { durable: true; arguments: Record<string, unknown> }): Promise<unknown>;
  publish(
    exchange: string,
    routingKey: string,
    content: Buffer,
    options: AmqpOptions & { mandatory: true; persistent: true },
    callback: (error: unknown) => void,
  ): boolean;
  prefetch(count: number): Promise<unknown>;
  consume(queue: string, take: (message: AmqpMessage | null) => void): Promise<{ readonly consumerTag: string }>;
  cancel(consumerTag: string): Promise<unknown>;
  ack(message: AmqpMessage): void;
  reject(message: AmqpMessage, requeue: boolean): void;
  close(): Promise<unknown>;
  on(event: "return", listener: (message: { readonly properties: AmqpProperties }) => void): unknown;
  on(event: "error", listener: (error: Error) => void): unknown;
  on(event: "close", listener: () => void): unknown;
}

/** The members of a connection (`ChannelModel`) of amqplib that this needs. */
export interface AmqpConnection {
  createConfirmChannel(): Promise<AmqpChannel>;
  close(): Promise<unknown>;
  on(event: "error", listener: (error: Error) => void): unknown;
  on(event: "close", listener: () => void): unknown;
}

/** A channel, and when it has ended. */
export interface OpenChannel {
  readonly channel: AmqpChannel;
  /** Aborts when the channel, or its connection, is closed, by whomever. Its reason is why. */
  readonly ended: AbortSignal;
}

const longestClose: Seconds = 5;

/** A connection that is opened when it is needed, and again after it was lost. */
export class Link {
  readonly #connect: () => PromiseLike<AmqpConnection>;
  #opening: Promise<{ readonly connection: AmqpConnection; readonly failure: () => Error | undefined }> | undefined;
  #isClosed = false;

  constructor(connect: () => PromiseLike<AmqpConnection>) {
    this.#connect = connect;
  }

  async channel(): Promise<OpenChannel> {
    const { connection, failure } = await this.#open();
    const channel = await connection.createConfirmChannel();
    const ending = new AbortController();
    let error: Error | undefined;
    channel.on("error", (reason) => (error = reason));
    channel.on("close", () => {
      ending.abort(error ?? failure() ?? new Error("the channel was closed"));
    });
    return { channel, ended: ending.signal };
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    const closing = this.#opening?.then(({ connection }) => connection.close());
    if (closing === undefined) return;
    // One that was lost, or was never there, is closed; a server that hangs must not keep the process.
    await within(longestClose, "The end of the connection", closing).catch(() => undefined);
  }

  #open() {
    if (this.#isClosed) throw new ConfigurationError("These queues of RabbitMQ were closed.");
    if (this.#opening !== undefined) return this.#opening;
    const opening = Promise.resolve(this.#connect()).then((connection) => {
      let failure: Error | undefined;
      connection.on("error", (error) => (failure = error));
      connection.on("close", forget);
      return { connection, failure: () => failure };
    });
    const forget = () => {
      if (this.#opening === opening) this.#opening = undefined;
    };
    opening.catch(forget);
    return (this.#opening = opening);
  }
}

/** Names of queues that RabbitMQ has no room for, with what stands behind them. */
const longestName = 200;

/**
 * A queue whose messages survive a restart and the loss of a node, and which counts how often a message came back from a
 * worker that was lost. RabbitMQ 4 would throw a message away after 20 times; `tries` decides that here.
 */
const lasting = { "x-queue-type": "quorum", "x-delivery-limit": 1_000_000 };

/** The queues of RabbitMQ that stand behind one of ours. */
export const brokerQueues = {
  jobs: (name: string): readonly [string, Record<string, unknown>] => [name, lasting],

  failed: (name: string): readonly [string, Record<string, unknown>] => [`${name}.failed`, lasting],

  /**
   * Where messages wait that are not to be started yet. It never expires: RabbitMQ takes a quorum queue for unused as long
   * as nobody consumes from it, and deletes it with the messages in it.
   */
  waiting: (name: string, waitMs: number): readonly [string, Record<string, unknown>] => [
    `${name}.wait.${waitMs.toString()}`,
    {
      "x-queue-type": "quorum",
      "x-message-ttl": waitMs,
      "x-dead-letter-exchange": "",
      "x-dead-letter-routing-key": name,
      // A message leaves it only when the queue of the jobs has confirmed it.
      "x-dead-letter-strategy": "at-least-once",
      "x-overflow": "reject-publish",
    },
  ],
};

/**
 * Declares a queue on a channel of its own, which is closed with it when RabbitMQ refuses.
 *
 * @throws ConfigurationError when it exists otherwise, or its name is refused
 */
export async function declare(link: Link, [name, args]: readonly [string, Record<string, unknown>]): Promise<void> {
  if (Buffer.byteLength(name) > longestName) {
    throw new ConfigurationError(`RabbitMQ has no room for the name of queue "${name}": ${longestName} bytes at most.`);
  }
  const { channel } = await link.channel();
  try {
    await channel.assertQueue(name, { durable: true, arguments: args });
  } catch (error) {
    const { code } = error as { readonly code?: unknown };
    if (code !== 406 && code !== 403) throw error;
    throw new ConfigurationError(
      `RabbitMQ refuses queue "${name}" as it is needed here: ${messageOf(error)}. Nothing was sent. If it exists with ` +
        "other arguments, give the queue another name, or delete it in RabbitMQ once it is empty.",
      error,
    );
  }
  await channel.close();
}
