import { setMaxListeners } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import type { Seconds } from "../duration.js";
import { messageOf as textOf } from "../errors.js";
import { messageOf } from "./json-body.js";
import { brokerQueues, type AmqpMessage, type AmqpOptions, type Link, type OpenChannel } from "./rabbitmq-link.js";
import type { ConfirmedPublisher } from "./rabbitmq-publisher.js";
import type { Message, QueuePolicy, RunningWorker, Settlement, TakenMessage, WorkOptions } from "./queues.js";
import { waitOf } from "./rabbitmq-wait.js";

interface Parts extends WorkOptions {
  readonly link: Link;
  readonly publisher: ConfirmedPublisher;
  readonly policy: QueuePolicy;
  readonly lease: Seconds;
  readonly handle: (taken: TakenMessage) => Promise<Settlement>;
}

interface Session extends OpenChannel {
  readonly consumerTag: string;
}

/** A server that cannot be reached is not asked more often than this. */
const afterLoss: Seconds = 1;

/** How often a job was started before the message was published as it is now. */
const startsHeader = "x-aftercommit-starts";
const errorHeader = "x-aftercommit-error";
const longestError = 2000;

/** Takes messages as RabbitMQ pushes them, on a channel that is opened anew when it is lost. */
export class RabbitmqWorker implements RunningWorker {
  readonly #parts: Parts;
  readonly #stopped = new AbortController();
  readonly #running = new Set<Promise<void>>();
  #loop: Promise<void> = Promise.resolve();

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Rejects when it cannot begin. */
  async start(): Promise<void> {
    const session = await this.#consume();
    this.#loop = this.#keepOn(session);
  }

  async stop(): Promise<void> {
    this.#stopped.abort();
    await this.#loop;
  }

  async #keepOn(first: Session): Promise<void> {
    const { signal } = this.#stopped;
    let session: Session | undefined = first;
    while (session !== undefined) {
      await either(session.ended, signal);
      if (signal.aborted) await this.#end(session);
      else this.#parts.onError(session.ended.reason);
      session = await this.#again();
    }
    // Of channels that are gone: they have no say any more, but they still run.
    await Promise.all(this.#running);
  }

  /** Goes on with another channel as soon as there is one; without when nobody wants it any more. */
  async #again(): Promise<Session | undefined> {
    const { signal } = this.#stopped;
    for (;;) {
      if (signal.aborted) return undefined;
      await sleep(afterLoss * 1000, undefined, { signal }).catch(() => undefined);
      try {
        if (!this.#stopped.signal.aborted) return await this.#consume();
      } catch (error) {
        this.#parts.onError(error);
      }
    }
  }

  async #consume(): Promise<Session> {
    const { link, publisher, policy, concurrency, onError } = this.#parts;
    await publisher.declare(brokerQueues.jobs(policy.name));
    await publisher.declare(brokerQueues.failed(policy.name));
    const { channel, ended } = await link.channel();
    setMaxListeners(0, ended);
    await channel.prefetch(concurrency);
    const session = { channel, ended };
    const { consumerTag } = await channel.consume(policy.name, (delivery) => {
      if (delivery !== null) {
        this.#start(delivery, session);
        return;
      }
      onError(
        new Error(`RabbitMQ hands out nothing more of queue "${policy.name}": it was deleted, or its node is gone.`),
      );
      void channel.close().catch(() => undefined);
    });
    return { ...session, consumerTag };
  }

  /** Takes nothing more, waits for what was taken, and gives the channel up. */
  async #end({ channel, consumerTag }: Session): Promise<void> {
    try {
      await channel.cancel(consumerTag);
      await Promise.all(this.#running);
      await channel.close();
    } catch {
      // It is closed already, so RabbitMQ has given everything back.
    }
  }

  #start(delivery: AmqpMessage, channel: OpenChannel): void {
    const handled = this.#handle(delivery, channel)
      .catch(this.#parts.onError)
      .finally(() => this.#running.delete(handled));
    this.#running.add(handled);
  }

  async #handle(delivery: AmqpMessage, open: OpenChannel): Promise<void> {
    const { lease, handle } = this.#parts;
    const attempt = startsOf(delivery) + 1;
    const losing = new AbortController();
    const lose = () => {
      losing.abort();
    };
    const timer = setTimeout(lose, lease * 1000);
    open.ended.addEventListener("abort", lose);
    const lost = either(losing.signal).then(() => undefined);
    try {
      const handled = handle({ message: takenMessage(delivery), attempt, leaseLost: losing.signal });
      const settlement = await Promise.race([handled, lost]);
      if (!open.ended.aborted) await this.#settle(delivery, open, attempt, settlement ?? leaseIsOver);
      await handled;
    } finally {
      clearTimeout(timer);
      open.ended.removeEventListener("abort", lose);
    }
  }

  /** What goes on is published anew before the old message is acknowledged, so it is there twice rather than not at all. */
  async #settle(delivery: AmqpMessage, open: OpenChannel, attempt: number, settlement: Settlement): Promise<void> {
    const { policy, publisher } = this.#parts;
    const { content } = delivery;
    const again = (delay: Seconds, starts: number) => ({
      content,
      properties: optionsOf(delivery, { [startsHeader]: starts }),
      waitMs: waitOf(delay),
    });
    try {
      switch (settlement.do) {
        case "complete":
          break;
        case "retry":
          await publisher.publish(policy.name, [again(settlement.delay, attempt)]);
          break;
        case "postpone":
          await publisher.publish(policy.name, [again(settlement.delay, attempt - 1)]);
          break;
        case "fail": {
          const error = textOf(settlement.error).slice(0, longestError);
          const properties = optionsOf(delivery, { [startsHeader]: attempt, [errorHeader]: error });
          await publisher.publish(policy.name, [{ content, properties, waitMs: 0 }], "failed");
        }
      }
    } catch (error) {
      this.#parts.onError(error);
      // Then at once, and counted by RabbitMQ as a start.
      if (!open.ended.aborted) open.channel.reject(delivery, true);
      return;
    }
    if (!open.ended.aborted) open.channel.ack(delivery);
  }
}

const leaseIsOver: Settlement = { do: "retry", delay: 0, error: undefined };

function takenMessage({ content, properties: { messageId = "", timestamp } }: AmqpMessage): Message {
  let body: unknown;
  try {
    body = JSON.parse(content.toString());
  } catch {
    // Something else has sent it; it fails the queue's schema.
  }
  return messageOf(messageId, body, timestamp === undefined ? Date.now() : timestamp * 1000);
}

/**
 * How often it was started before. RabbitMQ counts in headers how often a message came back from a consumer: since 4.3
 * all times in the first of these, before that in the second.
 */
function startsOf({ properties: { headers = {} } }: AmqpMessage): number {
  const count = (name: string) => {
    const value = headers[name];
    return typeof value === "number" ? value : 0;
  };
  return count(startsHeader) + Math.max(count("x-acquired-count"), count("x-delivery-count"));
}

/** Headers that RabbitMQ writes about one stay of a message in one queue. */
const ofTheBroker = /^x-(?:acquired-count|delivery-count|death$|first-death-|last-death-)/;

/** Of whoever has sent it first, and not ours to repeat. */
const ofTheSender = new Set(["expiration", "userId", "deliveryMode"]);

function optionsOf({ properties }: AmqpMessage, own: Readonly<Record<string, unknown>>): AmqpOptions {
  const kept = Object.entries(properties).filter(([name, value]) => value !== undefined && !ofTheSender.has(name));
  const headers = Object.entries(properties.headers ?? {}).filter(([name]) => !ofTheBroker.test(name));
  return { ...Object.fromEntries(kept), headers: { ...Object.fromEntries(headers), ...own } };
}

/** Resolves when one of them aborts. */
async function either(...signals: readonly AbortSignal[]): Promise<void> {
  const listening = new AbortController();
  await new Promise<void>((resolve) => {
    for (const signal of signals) {
      if (signal.aborted) resolve();
      const onAbort = () => {
        resolve();
      };
      signal.addEventListener("abort", onAbort, { once: true, signal: listening.signal });
    }
  });
  listening.abort();
}
