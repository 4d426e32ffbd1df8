import { once } from "node:events";
import { createServer, type IncomingMessage, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";

/** What the provider does with a request. In each case but "refuse" the parcel is booked. */
export type Conduct = "answer" | "refuse" | "book and hang" | "book and cut" | "book and fail";

interface Received {
  readonly key: string | undefined;
  readonly body: string;
}

/** A carrier on loopback that books a parcel for each request, and with keys one for each key. */
export class Provider {
  /** Every request that has arrived. */
  readonly received: Received[] = [];
  /** Bookings: by the key where one came, else one for each request. */
  readonly booked: string[] = [];
  /** What it does with the next requests, in their order; then it answers. */
  readonly conduct: Conduct[] = [];
  readonly #server: Server;
  readonly #byKey = new Map<string, number>();

  private constructor() {
    this.#server = createServer((request, response) => {
      void this.#book(request).then(({ conduct, number }) => {
        if (conduct === "book and hang") return;
        if (conduct === "book and cut") response.destroy();
        else if (conduct === "book and fail") response.writeHead(503).end();
        else if (conduct === "refuse") response.writeHead(422).end("no such street");
        else response.writeHead(200).end(JSON.stringify({ parcel: number }));
      });
    });
  }

  static async start(): Promise<Provider> {
    const provider = new Provider();
    provider.#server.listen(0, "127.0.0.1");
    await once(provider.#server, "listening");
    return provider;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port.toString()}/parcels`;
  }

  async #book(request: IncomingMessage): Promise<{ conduct: Conduct; number: number }> {
    const body = await text(request);
    const header = request.headers["idempotency-key"];
    const key = typeof header === "string" ? header : undefined;
    this.received.push({ key, body });
    const conduct = this.conduct.shift() ?? "answer";
    const known = key === undefined ? undefined : this.#byKey.get(key);
    if (conduct === "refuse") return { conduct, number: 0 };
    if (known !== undefined) return { conduct, number: known };
    this.booked.push(key ?? body);
    if (key !== undefined) this.#byKey.set(key, this.booked.length);
    return { conduct, number: this.booked.length };
  }

  forget(): void {
    for (const list of [this.received, this.booked, this.conduct]) list.length = 0;
    this.#byKey.clear();
  }

  close(): void {
    this.#server.close();
    this.#server.closeAllConnections();
  }
}

/** A port of loopback on which nobody listens. */
export async function closedUrl(): Promise<string> {
  const server = createServer();
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return `http://127.0.0.1:${port.toString()}/parcels`;
}
