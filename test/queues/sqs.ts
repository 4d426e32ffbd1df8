import { SQS } from "@aws-sdk/client-sqs";
import { startFauxqs } from "fauxqs";
import type { QueuePolicy } from "../../src/queues/queues.js";
import { sqsQueues } from "../../src/queues/sqs.js";
import type { QueueSubject } from "./subject.js";

/** A server of its own that speaks SQS, with queues and dead-letter queues as their owner would make them. */
export async function openSqs(kind: "standard" | "fifo") {
  const server = await startFauxqs({ port: 0, logger: false });
  const client = new SQS({
    endpoint: server.address,
    region: "us-east-1",
    credentials: { accessKeyId: "test", secretAccessKey: "test" },
  });
  const suffix = kind === "fifo" ? ".fifo" : "";
  const urls = new Map<string, string>();
  const urlOf = (name: string) => urls.get(name) ?? `${server.address}/000000000000/${name}${suffix}`;
  const create = async (name: string, attributes: Record<string, string>) => {
    const { QueueUrl = "" } = await client.createQueue({
      QueueName: name + suffix,
      Attributes: { ...attributes, ...(kind === "fifo" ? { FifoQueue: "true" } : {}) },
    });
    urls.set(name, QueueUrl);
    return QueueUrl;
  };
  return {
    client,
    queues: sqsQueues({ client, queueUrl: urlOf }),
    urlOf,
    create,
    async prepare({ name, retryAfter }: QueuePolicy, maxReceiveCount = 1000) {
      const dead = await create(`${name}-dead`, {});
      const { Attributes } = await client.getQueueAttributes({ QueueUrl: dead, AttributeNames: ["QueueArn"] });
      const deadLetterTargetArn = Attributes?.QueueArn;
      await create(name, {
        VisibilityTimeout: retryAfter.toString(),
        RedrivePolicy: JSON.stringify({ deadLetterTargetArn, maxReceiveCount }),
      });
    },
    async close() {
      client.destroy();
      await server.stop();
    },
  };
}

const sqs = (kind: "standard" | "fifo"): QueueSubject => ({
  name: `sqs, ${kind}`,
  available: true,
  expiryTakes: 1,
  ...(kind === "fifo" ? { knowsNoDelay: true } : { repeats: true }),
  async open() {
    const opened = await openSqs(kind);
    const { client, queues, urlOf } = opened;
    return {
      queues,
      prepare: (policy) => opened.prepare(policy),
      async failed(queue) {
        const { Attributes } = await client.getQueueAttributes({
          QueueUrl: urlOf(`${queue}-dead`),
          AttributeNames: ["ApproximateNumberOfMessages"],
        });
        return Number(Attributes?.ApproximateNumberOfMessages);
      },
      async close() {
        await queues.close();
        await opened.close();
      },
    };
  },
});

export const sqsSubjects: readonly QueueSubject[] = [sqs("standard"), sqs("fifo")];
