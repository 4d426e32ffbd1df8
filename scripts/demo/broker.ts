import { createHash, randomUUID } from "node:crypto";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** A message in a queue. `receipt` says whose delivery counts; none while it waits. */
interface Entry {
  readonly id: string;
  readonly body: string;
  deliveries: number;
  receipt: string | undefined;
  /** The process that has it. */
  holder: string | undefined;
}

interface Poll {
  readonly client: string;
  readonly answer: (entry: Entry) => void;
}

interface Line {
  readonly entries: Map<string, Entry>;
  readonly polls: Set<Poll>;
  paused: boolean;
  deliveries: number;
}

/** A request as the world sees it: which process asks for what, about which text. */
export interface Seen {
  readonly client: string;
  readonly what: "send" | "delete" | "partner" | "mails";
  readonly text: string;
}

/** Called after a request has had its effect and before it is answered (before its effect, for "delete"). */
export type Watch = (seen: Seen) => Promise<void>;

/**
 * The world around the programs: queues that speak the protocol of Amazon SQS, and partners that take requests of
 * anybody. It outlives every process that is killed. Its time stands still: a lease ends when `redeliver` says so, so
 * that nothing depends on how fast the machine is.
 */
export class World {
  readonly #lines = new Map<string, Line>();
  readonly #requests: { readonly queue: string; readonly key: string; readonly text: string }[] = [];
  readonly #server: Server;
  readonly #watch: Watch;

  private constructor(watch: Watch) {
    this.#watch = watch;
    this.#server = createServer((request, response) => {
      this.#handle(request, response).catch((error: unknown) => {
        response.writeHead(500).end(String(error));
      });
    });
  }

  static async start(watch: Watch): Promise<World> {
    const world = new World(watch);
    await new Promise<void>((resolve) => world.#server.listen(0, "127.0.0.1", resolve));
    return world;
  }

  stop(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }

  /** The address of a queue, or of somebody else, as one process knows it. */
  url(kind: "queue" | "partner" | "mails", queue: string, client: string): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port.toString()}/${kind}/${queue}/${client}`;
  }

  /** Holds messages back, or lets them go. */
  pause(queue: string, paused: boolean): void {
    const line = this.#line(queue);
    line.paused = paused;
    this.#deliver(line);
  }

  /** The lease of what a process holds ends, or of everything that is in delivery. */
  redeliver(queue: string, client?: string): void {
    const line = this.#line(queue);
    for (const poll of line.polls) if (poll.client === client) line.polls.delete(poll);
    for (const entry of line.entries.values()) {
      if (client === undefined || entry.holder === client) entry.receipt = entry.holder = undefined;
    }
    this.#deliver(line);
  }

  isEmpty(queue: string): boolean {
    return this.#line(queue).entries.size === 0;
  }

  deliveries(queue: string): number {
    return this.#line(queue).deliveries;
  }

  /** How many requests the partner has taken whose text contains `part`; those with one key are one. */
  accepted(queue: string, part: string): number {
    const about = this.#requests.filter((request) => request.queue === queue && request.text.includes(part));
    return new Set(about.map(({ key }) => key)).size;
  }

  #line(queue: string): Line {
    let line = this.#lines.get(queue);
    if (line === undefined) {
      line = { entries: new Map(), polls: new Set(), paused: false, deliveries: 0 };
      this.#lines.set(queue, line);
    }
    return line;
  }

  #deliver(line: Line): void {
    if (line.paused) return;
    for (const entry of line.entries.values()) {
      if (entry.receipt !== undefined) continue;
      const [poll] = line.polls;
      if (poll === undefined) return;
      line.polls.delete(poll);
      line.deliveries += 1;
      entry.deliveries += 1;
      entry.receipt = randomUUID();
      entry.holder = poll.client;
      poll.answer(entry);
    }
  }

  async #handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks = (await request.toArray()) as Buffer[];
    const text = Buffer.concat(chunks).toString();
    const answer = (body: unknown) => {
      response.writeHead(200, { "content-type": "application/x-amz-json-1.0" }).end(JSON.stringify(body));
    };
    const sqs = /^AmazonSQS\.(.+)$/.exec(String(request.headers["x-amz-target"]))?.[1];
    const parameters = sqs === undefined ? {} : (JSON.parse(text) as Record<string, string>);
    const [, kind, queue = "", client = ""] = new URL(
      parameters["QueueUrl"] ?? request.url ?? "",
      "http://world",
    ).pathname.split("/");

    switch (sqs) {
      case undefined:
        if (kind === "partner")
          this.#requests.push({ queue, key: String(request.headers["idempotency-key"] ?? text), text });
        await this.#watch({ client, what: kind === "partner" ? "partner" : "mails", text });
        answer({ trackingCode: "A-1" });
        return;
      case "SendMessage":
        answer(await this.#send(queue, client, parameters["MessageBody"] ?? ""));
        return;
      case "ReceiveMessage":
        this.#receive(queue, client, response, answer);
        return;
      case "DeleteMessage":
        await this.#delete(queue, client, parameters["ReceiptHandle"] ?? "");
        answer({});
        return;
      case "ChangeMessageVisibility":
        // The only use here: a handler has failed, and its job is to be tried again.
        this.redeliver(queue, client);
        answer({});
        return;
      default:
        throw new Error(`the demo's queue knows no ${sqs}`);
    }
  }

  async #send(queue: string, client: string, body: string): Promise<unknown> {
    const entry: Entry = { id: randomUUID(), body, deliveries: 0, receipt: undefined, holder: undefined };
    const line = this.#line(queue);
    line.entries.set(entry.id, entry);
    this.#deliver(line);
    await this.#watch({ client, what: "send", text: body });
    return { MessageId: entry.id, MD5OfMessageBody: md5(body) };
  }

  #receive(queue: string, client: string, response: ServerResponse, answer: (body: unknown) => void): void {
    // What a process has sent before it was killed may be read after that.
    if (response.socket?.destroyed !== false) return;
    const line = this.#line(queue);
    const poll: Poll = {
      client,
      answer: ({ id, body, receipt, deliveries }) => {
        const Attributes = { ApproximateReceiveCount: deliveries.toString() };
        answer({ Messages: [{ MessageId: id, ReceiptHandle: receipt, Body: body, MD5OfBody: md5(body), Attributes }] });
      },
    };
    line.polls.add(poll);
    response.once("close", () => line.polls.delete(poll));
    this.#deliver(line);
  }

  async #delete(queue: string, client: string, receipt: string): Promise<void> {
    const { entries } = this.#line(queue);
    const held = [...entries.values()].find((entry) => entry.receipt === receipt);
    if (held === undefined) return;
    await this.#watch({ client, what: "delete", text: held.body });
    if (held.receipt === receipt) entries.delete(held.id);
  }
}

function md5(text: string): string {
  return createHash("md5").update(text).digest("hex");
}
