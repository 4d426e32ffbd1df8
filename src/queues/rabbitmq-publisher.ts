import type { Seconds } from "../duration.js";
import { AftercommitError } from "../errors.js";
import { within } from "../time-limit.js";
import { UnconfirmedPublishError } from "./publish-error.js";
import { brokerQueues, declare, type Link, type AmqpOptions, type OpenChannel } from "./rabbitmq-link.js";

/** RabbitMQ returned messages because it has no such queue: somebody has deleted it. */
export class UnroutablePublishError extends AftercommitError {
  constructor(queue: string, returned: number, sent: number) {
    super(
      `RabbitMQ returned ${returned} of ${sent} messages for queue "${queue}": a queue that was there is gone. ` +
        "Those messages are not stored. Send again: the queue is declared anew then.",
      { code: "AFTERCOMMIT_PUBLISH_UNROUTABLE", state: returned === sent ? "nothing written" : "unknown" },
    );
  }
}

/** A message as RabbitMQ gets it. */
export interface Publishing {
  readonly content: Buffer;
  readonly properties: AmqpOptions;
  /** How long it is to wait before it can be taken. */
  readonly waitMs: number;
}

interface Publisher extends OpenChannel {
  /** How often RabbitMQ has returned a message of this id that it is yet to confirm. */
  readonly returned: Map<string | undefined, number>;
}

/** Publishes messages, and knows by the broker's confirm that they are stored. */
export class ConfirmedPublisher {
  readonly #link: Link;
  readonly #timeout: Seconds;
  #opening: Promise<Publisher> | undefined;
  /** Queues that are there. */
  readonly #declared = new Map<string, Promise<void>>();

  constructor(link: Link, timeout: Seconds) {
    this.#link = link;
    this.#timeout = timeout;
  }

  /**
   * Resolves when RabbitMQ has stored all of them.
   *
   * @param queue as we name it
   * @param to "jobs", or where those are kept that were given up
   * @throws UnconfirmedPublishError, UnroutablePublishError, ConfigurationError
   */
  async publish(queue: string, publishings: readonly Publishing[], to: "jobs" | "failed" = "jobs"): Promise<void> {
    if (publishings.length === 0) return;
    const progress = { handedOver: false };
    const sending = async () => {
      const routes = await this.#routes(queue, publishings, to);
      const publisher = await this.#open();
      progress.handedOver = true;
      const outcomes = await Promise.all(
        publishings.map((publishing, index) => send(publisher, routes[index] ?? queue, publishing)),
      );
      const returned = outcomes.filter((outcome) => outcome === "returned").length;
      if (returned === 0) return;
      this.#declared.clear();
      throw new UnroutablePublishError(queue, returned, outcomes.length);
    };
    try {
      await within(this.#timeout, "Sending", sending());
    } catch (error) {
      if (error instanceof AftercommitError) throw error;
      throw new UnconfirmedPublishError("RabbitMQ", queue, error, progress.handedOver ? "unknown" : "nothing written");
    }
  }

  /** The queues of RabbitMQ into which they go, all of which are there then. */
  async #routes(name: string, publishings: readonly Publishing[], to: "jobs" | "failed"): Promise<readonly string[]> {
    const wanted = new Map([brokerQueues[to](name), brokerQueues.jobs(name)]);
    const routes = publishings.map(({ waitMs }) => {
      const [route, args] = waitMs > 0 ? brokerQueues.waiting(name, waitMs) : brokerQueues[to](name);
      wanted.set(route, args);
      return route;
    });
    await Promise.all([...wanted].map((one) => this.declare(one)));
    return routes;
  }

  async declare(queue: readonly [string, Record<string, unknown>]): Promise<void> {
    const [name] = queue;
    let declaring = this.#declared.get(name);
    if (declaring === undefined) {
      declaring = declare(this.#link, queue);
      this.#declared.set(name, declaring);
      declaring.catch(() => this.#declared.delete(name));
    }
    await declaring;
  }

  #open(): Promise<Publisher> {
    if (this.#opening !== undefined) return this.#opening;
    const opening = this.#link.channel().then(({ channel, ended }) => {
      const returned: Publisher["returned"] = new Map();
      // RabbitMQ returns a message before it confirms it.
      channel.on("return", ({ properties: { messageId } }) => {
        returned.set(messageId, (returned.get(messageId) ?? 0) + 1);
      });
      ended.addEventListener("abort", forget);
      return { channel, ended, returned };
    });
    const forget = () => {
      if (this.#opening === opening) this.#opening = undefined;
      // Another node may have been started empty.
      this.#declared.clear();
    };
    opening.catch(forget);
    return (this.#opening = opening);
  }
}

/** Resolves when RabbitMQ has answered for this message; rejects when it refuses it, or the channel ends before. */
function send(
  { channel, ended, returned }: Publisher,
  route: string,
  { content, properties }: Publishing,
): Promise<"stored" | "returned"> {
  const { messageId } = properties;
  return new Promise((resolve, reject) => {
    const options = { ...properties, mandatory: true, persistent: true } as const;
    channel.publish("", route, content, options, (error) => {
      const count = returned.get(messageId) ?? 0;
      if (count > 1) returned.set(messageId, count - 1);
      else returned.delete(messageId);
      if (error === null || error === undefined) {
        resolve(count > 0 ? "returned" : "stored");
      } else {
        // amqplib tells of a closed channel by this too, before it says why that was closed.
        queueMicrotask(() => {
          reject((ended.reason ?? error) as Error);
        });
      }
    });
  });
}
