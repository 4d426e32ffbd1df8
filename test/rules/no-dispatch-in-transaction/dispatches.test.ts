import { noDispatchInTransaction as rule } from "../../../rules/no-dispatch-in-transaction.js";
import { lintCases, type Code } from "../lint-cases.js";

/** Statements inside a transaction, behind the imports that they need. */
function inside(imports: string, statements: string): Code {
  return `import { DataSource } from "typeorm"; const dataSource = new DataSource({} as never);
${imports.trim()}
export async function place() {
  await dataSource.transaction(async (manager) => {
${statements.replace(/^\n|\n *$/g, "")}
  });
}`;
}

lintCases("Dispatches: every library's own form", rule, {
  "BullMQ, Bull, FlowProducer": inside(
    `import { Queue, FlowProducer } from "bullmq"; import Bull from "bull"; const queue = new Queue("a"); const flows = new FlowProducer(); const bull = new Bull("b"); declare const name: "addBulk"; const key = "add" as const;
class MailQueue extends Queue { constructor() { super("mail"); } } const mails = new MailQueue();`,
    `
    await queue.addBulk([{ name: "x", data: {} }]); // report
    await queue.upsertJobScheduler("x", { every: 1000 }); // report
    await flows.add({ name: "x", queueName: "a" }); // report
    await bull.add({ id: 1 }); // report
    await mails.add("x", {}); // report
    await queue["add"]("x", {}); // report
    await queue?.add("x", {}); // report
    await (queue as Queue)!.add("x", {}); // report`,
  ),
  "a computed constant key, a destructured method, a bound one, `call`": inside(
    `import { Queue } from "bullmq"; const queue = new Queue("a"); const key = "add"; const { add } = queue; const bound = queue.add.bind(queue);`,
    `
    await queue[key]("x", {}); // report
    await add("x", {}); // report
    await bound("x", {}); // report
    await queue.add.call(queue, "x", {}); // report`,
  ),
  "AWS SDK 3": inside(
    `import { SQSClient, SQS, SendMessageCommand, SendMessageBatchCommand, ReceiveMessageCommand } from "@aws-sdk/client-sqs"; import { SNSClient, PublishCommand } from "@aws-sdk/client-sns"; import { EventBridgeClient, PutEventsCommand } from "@aws-sdk/client-eventbridge";
const sqs = new SQSClient({}); const all = new SQS({}); const sns = new SNSClient({}); const bridge = new EventBridgeClient({}); const input = { QueueUrl: "x", MessageBody: "y" };`,
    `
    await sqs.send(new SendMessageCommand(input)); // report
    const command = new SendMessageBatchCommand({ QueueUrl: "x", Entries: [] });
    await sqs.send(command); // report
    await all.sendMessage(input); // report
    await sns.send(new PublishCommand({ TopicArn: "x", Message: "y" })); // report
    await bridge.send(new PutEventsCommand({ Entries: [] })); // report
    await sqs.send(new ReceiveMessageCommand({ QueueUrl: "x" }));`,
  ),
  "KafkaJS, AMQP, NATS JetStream, Pub/Sub, Service Bus, MQTT": inside(
    `import { Kafka } from "kafkajs"; import amqp from "amqplib"; import { connect } from "@nats-io/nats-core"; import { jetstream, type JetStreamClient } from "@nats-io/jetstream"; import { PubSub } from "@google-cloud/pubsub"; import { ServiceBusClient } from "@azure/service-bus"; import type { Producer } from "kafkajs"; import type { Channel } from "amqplib";
const producer = new Kafka({ brokers: [] }).producer(); const pubsub = new PubSub(); const bus = new ServiceBusClient("x").createSender("y"); declare const js: JetStreamClient; declare const channel: Channel;`,
    `
    await producer.send({ topic: "x", messages: [] }); // report
    await producer.sendBatch({ topicMessages: [] }); // report
    channel.sendToQueue("x", Buffer.from("")); // report
    channel.publish("x", "y", Buffer.from("")); // report
    await js.publish("x", "y"); // report
    await pubsub.topic("x").publishMessage({ json: {} }); // report
    await bus.sendMessages({ body: {} }); // report`,
  ),
  "Graphile Worker, Inngest, Trigger.dev, Temporal, QStash": inside(
    `import { makeWorkerUtils, quickAddJob } from "graphile-worker"; import { Inngest } from "inngest"; import { tasks, task } from "@trigger.dev/sdk"; import { Client as Temporal } from "@temporalio/client"; import { Client as QStash } from "@upstash/qstash";
const utils = await makeWorkerUtils({}); const inngest = new Inngest({ id: "x" }); const temporal = new Temporal(); const qstash = new QStash({ token: "x" }); const send = task({ id: "send", run: async () => undefined });`,
    `
    await utils.addJob("mail", {}); // report
    await quickAddJob({}, "mail", {}); // report
    await inngest.send({ name: "x" }); // report
    await tasks.trigger("x", {}); // report
    await send.trigger(undefined as never); // report
    await temporal.workflow.start("x", { taskQueue: "x", workflowId: "y" }); // report
    await temporal.workflow.getHandle("x").signal("y"); // report
    await qstash.publishJSON({ url: "x" }); // report`,
  ),
  Redis: inside(
    `import { createClient } from "redis"; import Redis from "ioredis"; const client = createClient(); const ioredis = new Redis();`,
    `
    await client.publish("x", "y"); // report
    await client.xAdd("x", "*", { a: "b" }); // report
    await ioredis.publish("x", "y"); // report
    await ioredis.xadd("x", "*", "a", "b"); // report
    await ioredis.multi().publish("x", "y").exec(); // report
    await client.get("x");
    await ioredis.set("x", "y");`,
  ),
  "Nest's buses and clients, EventEmitter2": inside(
    `import { EventEmitter2 } from "@nestjs/event-emitter"; import { EventBus, CommandBus } from "@nestjs/cqrs"; import { ClientProxy } from "@nestjs/microservices";
declare const emitter: EventEmitter2; declare const bus: EventBus; declare const client: ClientProxy; class Placed {}`,
    `
    emitter.emit("x"); // report
    await emitter.emitAsync("x"); // report
    bus.publish(new Placed()); // report
    client.emit("x", {}); // report`,
  ),
  "Cloudflare, Vercel, Sidequest, sqs-producer, Storage Queue, Cloud Tasks": inside(
    `import { send } from "@vercel/queue"; import { Sidequest, Job } from "sidequest"; import { Producer } from "sqs-producer"; import { QueueClient } from "@azure/storage-queue"; import { CloudTasksClient } from "@google-cloud/tasks"; import type { Queue } from "@cloudflare/workers-types";
const producer = Producer.create({ queueUrl: "x" }); declare const storage: QueueClient; const cloudTasks = new CloudTasksClient(); declare const env: { MAILS: Queue }; class Mail extends Job { async run() {} }`,
    `
    await send("x", {}); // report
    await Sidequest.build(Mail).enqueue(); // report
    await producer.send("x"); // report
    await storage.sendMessage("x"); // report
    await cloudTasks.createTask({}); // report
    await env.MAILS.send({}); // report typed`,
  ),
});

lintCases("Dispatches: builders that send later", rule, {
  "Agenda, Bee-Queue, Faktory": inside(
    `import { Agenda } from "agenda"; import BeeQueue from "bee-queue"; import faktory from "faktory-worker"; import type { Client } from "faktory-worker";
const agenda = new Agenda({} as never); const bee = new BeeQueue("x"); declare const client: Client;`,
    `
    const job = agenda.create("x", {});
    await job.save(); // report
    await agenda.now("x", {}); // report
    const made = bee.createJob({});
    await made.save(); // report
    await bee.createJob({}).retries(2).save(); // report
    client.job("x");
    await client.job("x").push(); // report`,
  ),
  "a builder that is a promise sends where it is awaited": inside(
    `import { Job } from "@boringnode/queue"; class Mail extends Job<{ id: number }> { async execute() {} } declare const soon: boolean;`,
    `
    await Mail.dispatch({ id: 1 }); // report noHandle
    await Mail.dispatch({ id: 1 }).in("5m"); // report noHandle
    Mail.dispatch({ id: 2 });
    await Mail.dispatch({ id: 3 }).run(); // report noHandle`,
  ),
  "DBOS starts a workflow with the second call": inside(
    `import { DBOS } from "@dbos-inc/dbos-sdk"; async function ship(id: number) {}`,
    `
    await DBOS.startWorkflow(ship)(1); // report
    const start = DBOS.startWorkflow(ship);
    await DBOS.send("x", {}); // report`,
  ),
  "Nest's `send` is cold, and stands for the subscription that follows": inside(
    `import { ClientProxy } from "@nestjs/microservices"; import { firstValueFrom } from "rxjs"; declare const client: ClientProxy;`,
    `
    client.send("x", {}).subscribe(); // report
    await firstValueFrom(client.send("x", {})); // report`,
  ),
});
