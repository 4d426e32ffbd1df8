import { execFileSync, spawn } from "node:child_process";
import { Kafka, logLevel, Partitioners } from "kafkajs";
import { inCi } from "./subject.js";

/** Whether kcat is installed: it can run the cluster with which librdkafka, the C client of Kafka, tests itself. */
export const hasKafka = inCi || isInstalled();

function isInstalled(): boolean {
  try {
    execFileSync("kcat", ["-V"], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}

/** Three brokers in a process of their own, which speak Kafka's protocol and keep what they get in memory. */
export async function startCluster() {
  // It lives as long as it waits for something to send.
  const cluster = spawn(
    "kcat",
    ["-P", "-b", "127.0.0.1:1", "-t", "own", "-X", "test.mock.num.brokers=3", "-d", "mock"],
    { stdio: ["pipe", "ignore", "pipe"] },
  );
  let told = "";
  const address = await new Promise<string>((resolve, reject) => {
    cluster.once("error", reject).once("exit", () => {
      reject(new Error(`kcat has ended: ${told}`));
    });
    cluster.stderr.on("data", (data: Buffer) => {
      told = (told + data.toString()).slice(-10_000);
      const [, found] = /bootstrap\.servers=([\d.:]+)/.exec(told) ?? [];
      if (found !== undefined) resolve(found);
    });
  });
  const kafka = new Kafka({ brokers: [address], logLevel: logLevel.NOTHING, retry: { retries: 1 } });
  const open: { disconnect(): Promise<void> }[] = [];
  return {
    /** For SIGSTOP, SIGCONT and SIGKILL. */
    signal: (signal: NodeJS.Signals) => cluster.kill(signal),

    async producer() {
      const producer = kafka.producer({ createPartitioner: Partitioners.DefaultPartitioner });
      await producer.connect();
      open.push(producer);
      return producer;
    },

    /** Everything that is in a topic, and that comes. */
    async consume(topic: string) {
      const consumer = kafka.consumer({ groupId: `of ${topic}`, rebalanceTimeout: 1000 });
      const messages: { key: string; value: string; headers: Record<string, string>; place: number }[] = [];
      await consumer.connect();
      open.push(consumer);
      await consumer.subscribe({ topic, fromBeginning: true });
      await consumer.run({
        eachMessage: ({ partition, message }) => {
          const headers = Object.entries(message.headers ?? {}).map(([name, value]) => [name, String(value)]);
          messages.push({
            key: String(message.key),
            value: String(message.value),
            headers: Object.fromEntries(headers) as Record<string, string>,
            place: partition,
          });
          return Promise.resolve();
        },
      });
      return messages;
    },

    async stop() {
      cluster.kill("SIGCONT");
      await Promise.all(open.map((one) => one.disconnect().catch(() => undefined)));
      cluster.kill("SIGKILL");
    },
  };
}
