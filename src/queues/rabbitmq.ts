import { requireSeconds, type Seconds } from "../duration.js";
import { bodyOf } from "./json-body.js";
import { Link, type AmqpConnection } from "./rabbitmq-link.js";
import { ConfirmedPublisher, type Publishing } from "./rabbitmq-publisher.js";
import { RabbitmqWorker } from "./rabbitmq-worker.js";
import { waitOf } from "./rabbitmq-wait.js";
import type { Message, QueuePolicy, Queues } from "./queues.js";

export type { AmqpChannel, AmqpConnection } from "./rabbitmq-link.js";
export { UnconfirmedPublishError } from "./publish-error.js";
export { UnroutablePublishError } from "./rabbitmq-publisher.js";

export interface RabbitmqOptions {
  /**
   * Makes a connection: `() => connect("amqp://…")` of amqplib, without its own recovery. Called for two of them, one to
   * publish and one to consume, and again whenever one was lost.
   */
  readonly connect: () => PromiseLike<AmqpConnection>;
  /**
   * The server's `consumer_timeout`, in seconds. Default 1800, as RabbitMQ's own. It cannot be asked for over AMQP: say
   * it here when somebody has set another one, for the server or for the queue.
   */
  readonly consumerTimeout?: Seconds;
  /** How long to wait for RabbitMQ to confirm messages, in seconds. Default 10. */
  readonly sendTimeout?: Seconds;
}

/**
 * Queues in RabbitMQ 3.10 and later, through amqplib.
 *
 * A message counts as sent when RabbitMQ has confirmed that it is stored, in a quorum queue; one that it cannot route is
 * an error. RabbitMQ does not notice that a message was sent before: it comes again, under the same job id.
 *
 * RabbitMQ takes a job from a worker when its connection ends, so at once when the process dies, and after two to three
 * heartbeats of the connection when the process hangs or the network is gone: a handler that keeps the event loop busy
 * for so long loses its job. While the process lives the lease is kept by the worker itself, which gives the job back
 * when `retryAfter` is over. Behind that stands the server's `consumer_timeout`, which closes the channel with all jobs on
 * it; the lease in force is the smaller of the two.
 *
 * Queue `orders` is declared as the quorum queues `orders` and `orders.failed`, which keeps the jobs that were given up,
 * and one `orders.wait.…` for each length of wait: delays and waits are rounded up to two digits. A queue that exists with
 * other arguments is refused.
 *
 * A job that goes on later is published anew, and then acknowledged: if the connection is lost in between, it is there
 * twice.
 */
export function rabbitmqQueues(options: RabbitmqOptions): Queues {
  const consumerTimeout = requireSeconds(options.consumerTimeout ?? 1800, "`consumerTimeout`");
  const sendTimeout = requireSeconds(options.sendTimeout ?? 10, "`sendTimeout`");
  // RabbitMQ holds up a connection that publishes more than it can store. Acknowledgements must not wait for that.
  const publishing = new Link(options.connect);
  const consuming = new Link(options.connect);
  const publisher = new ConfirmedPublisher(publishing, sendTimeout);
  const workers = new Set<RabbitmqWorker>();
  const leaseOf = ({ retryAfter }: QueuePolicy) => Math.min(retryAfter, consumerTimeout);

  return {
    library: "rabbitmq",

    send: async (policy, messages) => publisher.publish(policy.name, messages.map(publishingOf)),

    effectiveLease: (policy) => Promise.resolve(leaseOf(policy)),

    async work(policy, workOptions, handle) {
      const lease = leaseOf(policy);
      const worker = new RabbitmqWorker({ ...workOptions, link: consuming, publisher, policy, lease, handle });
      await worker.start();
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
      await Promise.all([publishing.close(), consuming.close()]);
    },
  };
}

function publishingOf(message: Message): Publishing {
  const { id, delay = 0 } = message;
  return {
    content: Buffer.from(JSON.stringify(bodyOf(message))),
    properties: {
      messageId: id,
      timestamp: Math.floor(Date.now() / 1000),
      contentType: "application/json",
    },
    waitMs: waitOf(delay),
  };
}
