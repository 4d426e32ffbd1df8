import { connect, createServer, type AddressInfo, type Socket } from "node:net";

/** A wire between a client and its server that can be cut at a chosen moment. */
export interface Wire {
  readonly port: number;
  /** Cuts when the client sends `text`: before the server gets it, or when the server has answered it. */
  cutAt(text: string, when: "before it arrives" | "before the answer arrives"): void;
  /** Cuts at once what is open. */
  cut(): void;
  close(): Promise<void>;
}

export async function layWire(serverPort: number): Promise<Wire> {
  let plan: { readonly text: string; readonly when: "before it arrives" | "before the answer arrives" } | undefined;
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
      const planned = plan;
      if (planned === undefined || !data.includes(planned.text)) {
        upstream.write(data);
        return;
      }
      plan = undefined;
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
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));

  const cut = () => {
    for (const socket of open) socket.destroy();
  };
  return {
    port: (server.address() as AddressInfo).port,
    cutAt: (text, when) => {
      plan = { text, when };
    },
    cut,
    close: async () => {
      cut();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
