/** One process of the shop: a dispatcher, a relay or a worker. It says what it has done, and ends with its parent. */
import type { Place } from "./places.ts";
import type { Operation, Mode } from "./shop.ts";

export interface Task {
  readonly role: "dispatcher" | "relay" | "worker";
  readonly place: Place;
  readonly queue: string;
  readonly mode: Mode;
  /** Of a dispatcher. */
  readonly operations?: readonly Operation[];
  /** How far this process's clock is ahead of the others', in milliseconds. */
  readonly clockAheadMs?: number;
  /** How long a relay keeps what it has taken, in seconds. */
  readonly lease?: number;
}

/** "ready" when it works; the number of an order whose `run` has returned; an error. */
export type Report = { readonly ready: true } | { readonly did: number } | { readonly error: string };

const task = JSON.parse(process.argv[2] ?? "") as Task;
const report = (what: Report) => process.send?.(what);
process.on("disconnect", () => process.exit());

if (task.clockAheadMs !== undefined) moveClock(task.clockAheadMs);
const { openShop } = await import("./shop.ts");
const sends = task.role !== "dispatcher" || (task.mode !== "relay" && task.mode !== "marked by jobs");
const shop = await openShop(task.place, task.queue, task.mode, { sends, lease: task.lease });

switch (task.role) {
  case "dispatcher":
    for (const operation of task.operations ?? []) {
      try {
        await shop.perform(operation);
        report({ did: operation.order });
      } catch (error) {
        report({ error: error instanceof Error ? error.name : String(error) });
      }
    }
    await shop.outbox.idle();
    await shop.close();
    process.disconnect();
    break;
  case "relay":
    await shop.relay().start();
    report({ ready: true });
    break;
  case "worker":
    await shop.worker();
    report({ ready: true });
}

/** Lets `Date` tell another time; timers and the steady clock are as they were. */
function moveClock(byMs: number): void {
  const RealDate = Date;
  const moved = () => RealDate.now() + byMs;
  globalThis.Date = class extends RealDate {
    constructor(...args: [time?: number | string]) {
      const [time = moved()] = args;
      super(time);
    }
    static override now = moved;
  } as DateConstructor;
}
