import { connect, createServer, type AddressInfo, type Socket } from "node:net";

/** A wire between a client and its server that can be cut at a chosen moment. */
export interface Wire {
  readonly port: number;
  /** Cuts when the client sends the word `text`, in any case: before the server gets it, or when the server has answered it. Several come one after the other. */
  cutAt(text: string, when: "before it arrives" | "before the answer arrives"): void;
  /** Whether a planned cut has not happened yet. */
  isWaitingToCut(): boolean;
  /** Cuts at once what is open. */
  cut(): void;
  /** Cuts what is open, and refuses what comes, until `accept`. */
  refuse(): Promise<void>;
  accept(): Promise<void>;
  close(): Promise<void>;
}

export async function layWire(serverPort: number): Promise<Wire> {
  const plans: { readonly word: RegExp; readonly when: "before it arrives" | "before the answer arrives" }[] = [];
  const open = new Set<Socket>();

  const server = createServer((client) => {
    const upstream = connect(serverPort, "127.0.0.1");
    let swallowAnswer = false;
    const end = () => {
      for (const socket of [client, upstream]) {
        socket.destroy();
        open.delete(socket);
      }
    };
    for (const socket of [client, upstream]) {
      open.add(socket);
      socket.on("error", end).on("close", end);
    }
    client.on("data", (data: Buffer) => {
      const [planned] = plans;
      if (planned === undefined || !planned.word.test(data.toString("latin1"))) {
        upstream.write(data);
        return;
      }
      plans.shift();
      if (planned.when === "before it arrives") {
        end();
        return;
      }
      swallowAnswer = true;
      upstream.write(data);
    });
    upstream.on("data", (data: Buffer) => {
      if (swallowAnswer) end();
      else client.write(data);
    });
  });
  const listen = (port: number) => new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve));
  await listen(0);
  const { port } = server.address() as AddressInfo;

  const cut = () => {
    for (const socket of open) socket.destroy();
  };
  const refuse = async () => {
    const closed = new Promise((resolve) => server.close(resolve));
    cut();
    await closed;
  };
  return {
    port,
    cutAt: (text, when) => {
      plans.push({ word: new RegExp(`\\b${text}\\b`, "i"), when });
    },
    isWaitingToCut: () => plans.length > 0,
    cut,
    refuse,
    accept: () => listen(port),
    close: async () => {
      if (server.listening) await refuse();
    },
  };
}
