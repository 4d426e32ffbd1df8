/** A worker in a process of its own, for `rabbitmq.test.ts`: says which job it has, and hangs. Uses the built package. */
import { connect } from "amqplib";
import { rabbitmqQueues } from "aftercommit/queues/rabbitmq";

const [address = "", name = ""] = process.argv.slice(2);
const queues = rabbitmqQueues({ connect: () => connect(address) });
const policy = { name, timeout: 30, retryAfter: 60, tries: 5, backoff: [] };

await queues.work(policy, { concurrency: 1, onError: console.error }, async ({ message, attempt }) => {
  process.stdout.write(`${message.id} ${attempt.toString()}\n`);
  await new Promise(() => undefined);
  return { do: "complete" };
});
