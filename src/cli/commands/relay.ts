import { once } from "node:events";
import { createServer, type Server } from "node:http";
import { ConfigurationError, messageOf } from "../../errors.js";
import { insideOf, type Outbox } from "../../outbox/outbox.js";
import { createRelay } from "../../outbox/relay.js";
import { numberOf, UsageError, type Command } from "../command.js";
import { outboxOf } from "../config.js";

export const relay: Command = {
  name: "relay",
  usage: "[--keep-for <seconds>] [--health-port <port>]",
  summary: "sends what is in the outbox until SIGTERM or SIGINT",
  details: `Sends the rows of every queue that the project's file loads. At the signal it sends and marks what it has taken.

  --keep-for     deletes rows that were dispatched longer ago than so many seconds (default: never)
  --health-port  answers HTTP there: 200 while it runs and the database answers, else 503`,
  options: { "keep-for": { type: "string" }, "health-port": { type: "string" } },
  async run(call) {
    const keepFor = numberOf(call, "keep-for");
    const port = numberOf(call, "health-port");
    if (port !== undefined && !(Number.isInteger(port) && port <= 65_535)) {
      throw new UsageError("--health-port must be a port, 0 for any that is free");
    }
    const outbox = outboxOf(await call.config());
    const queues = queuesOf(outbox);
    if (queues.length === 0) {
      throw new ConfigurationError(
        "The outbox serves no queue in this process, so nothing would be sent. Import the modules that define the queues " +
          "in aftercommit.config.",
      );
    }
    const sender = createRelay({
      outbox,
      ...(keepFor === undefined ? {} : { keepFor }),
      onError: (error, { queue, doing }) => {
        call.progress(`${doing}${queue === undefined ? "" : ` (${queue})`}: ${messageOf(error)}`);
      },
      onGivenUp: ({ queue, id, attempts, error }) => {
        call.progress(`given up: ${id} of ${queue} after ${attempts} attempts: ${messageOf(error)}`);
      },
    });
    // Before the relay takes rows: a port that is not free ends this.
    const health = port === undefined ? undefined : await answerHealth(outbox, call.signal, port);
    await sender.start();
    call.progress(`relays ${queues.join(", ")}${health === undefined ? "" : `; health on port ${portOf(health)}`}`);
    if (!call.signal.aborted) await once(call.signal, "abort");
    call.progress("stopping");
    await sender.stop();
    health?.close();
    health?.closeAllConnections();
    return { text: "stopped\n", data: { stopped: true, queues } };
  },
};

function queuesOf(outbox: Outbox): string[] {
  const names: string[] = [];
  insideOf(outbox).onQueue(({ policy }) => names.push(policy.name))();
  return names;
}

async function answerHealth(outbox: Outbox, signal: AbortSignal, port: number): Promise<Server> {
  const status = async () => {
    if (signal.aborted) return "stopping";
    try {
      await outbox.list({ state: "waiting", limit: 1 });
      return "running";
    } catch {
      return "the database does not answer";
    }
  };
  const server = createServer((_request, response) => {
    void status().then((now) => {
      response.writeHead(now === "running" ? 200 : 503, { "content-type": "application/json" });
      response.end(JSON.stringify({ status: now }));
    });
  });
  server.listen(port);
  await once(server, "listening");
  return server;
}

function portOf(server: Server): number {
  const address = server.address();
  return typeof address === "object" && address !== null ? address.port : 0;
}
