import { expect, test } from "vitest";
import { noDispatchInTransaction as rule } from "../../../rules/no-dispatch-in-transaction.js";
import { lintCases, linted } from "../lint-cases.js";

const queue = `import { Queue } from "bullmq"; const queue = new Queue("mail");`;
const open = `import { DataSource } from "typeorm"; const dataSource = new DataSource({} as never);`;

lintCases("Following: what stands between the transaction and the dispatch", rule, {
  "functions and methods of the file": `${queue} ${open}
async function notify(id: number) { await send(id); }
async function send(id: number) { await queue.add("mail", { id }); }
class Mailer { async welcome() { await this.deliver(); } private async deliver() { await queue.add("mail", {}); } static async bye() { await queue.add("mail", {}); } }
const mailer = new Mailer();
const service = { async hello() { await queue.add("mail", {}); } };
export async function place() {
  await dataSource.transaction(async () => {
    await notify(1); // report
    await mailer.welcome(); // report
    await new Mailer().welcome(); // report
    await Mailer.bye(); // report
    await service.hello(); // report
  });
}`,
  "functions of other files": {
    "main.ts": `${open} import { notify } from "./notify.js"; import * as mails from "./notify.js"; import welcome from "./notify.js"; import { again } from "./index.js";
export async function place() {
  await dataSource.transaction(async () => {
    await notify(1); // report typed
    await mails.notify(1); // report typed
    await welcome(); // report typed
    await again(1); // report typed
    mails.log("x");
  });
}`,
    "notify.ts": `${queue}
export async function notify(id: number) { await queue.add("mail", { id }); }
export default async function () { await queue.add("mail", {}); }
export function log(text: string) { console.log(text); }`,
    "index.ts": `export { notify as again } from "./notify.js"; export * from "./notify.js";`,
  },
  "injected services, two frames down": {
    "main.ts": `${open} import { Orders } from "./orders.js";
export class Checkout {
  constructor(private readonly orders: Orders) {}
  async place() {
    await dataSource.transaction(async () => {
      await this.orders.confirm(1); // report typed
      await this.orders.find(1);
    });
  }
}`,
    "orders.ts": `import { Mailer } from "./mailer.js";
export class Orders {
  constructor(private readonly mailer: Mailer) {}
  async confirm(id: number) { await this.mailer.welcome(id); }
  async find(id: number) { return { id }; }
}`,
    "mailer.ts": `import type { Queue } from "bullmq";
export class Mailer { constructor(private readonly queue: Queue) {} async welcome(id: number) { await this.queue.add("mail", { id }); } }`,
  },
  "an interface, an abstract class, an injection token": {
    "main.ts": `${open} import { Inject } from "@nestjs/common"; import { MAILER, type Mailer, Notifier } from "./ports.js";
export class Checkout {
  constructor(@Inject(MAILER) private readonly mailer: Mailer, private readonly notifier: Notifier) {}
  async place() {
    await dataSource.transaction(async () => {
      await this.mailer.welcome(1); // report typed
      await this.notifier.notify(1); // report typed
      await this.mailer.render(1);
    });
  }
}`,
    "ports.ts": `export const MAILER = Symbol("mailer");
export interface Mailer { welcome(id: number): Promise<void>; render(id: number): Promise<string>; }
export abstract class Notifier { abstract notify(id: number): Promise<void>; }`,
    "adapters.ts": `${queue} import { Notifier, type Mailer } from "./ports.js";
export class QueueMailer implements Mailer { async welcome(id: number) { await queue.add("mail", { id }); } async render(id: number) { return String(id); } }
export class QueueNotifier extends Notifier { async notify(id: number) { await queue.add("mail", { id }); } }`,
  },
  "recursion and cycles end": `${queue} ${open}
async function even(n: number): Promise<void> { if (n > 0) await odd(n - 1); }
async function odd(n: number): Promise<void> { if (n > 0) await even(n - 1); }
async function ping(n: number): Promise<void> { if (n > 0) await pong(n - 1); }
async function pong(n: number): Promise<void> { if (n > 0) await ping(n - 1); else await queue.add("mail", {}); }
export async function place() {
  await dataSource.transaction(async () => {
    await even(3);
    await ping(3); // report
    await pong(3); // report
  });
}`,
  "early returns, and branches that what is passed rules out": `${queue} ${open}
async function save(id: number, options: { notify?: boolean } = {}) { if (options.notify) await queue.add("mail", { id }); }
async function store(id: number, isQuiet: boolean) { if (isQuiet) return; await queue.add("mail", { id }); }
async function change(kind: "a" | "b") { switch (kind) { case "a": return; case "b": await queue.add("mail", {}); } }
export async function place() {
  await dataSource.transaction(async () => {
    await save(1);
    await save(1, {});
    await save(1, { notify: false });
    await save(1, { notify: true }); // report
    await store(1, true);
    await store(1, false); // report
    await change("a");
    await change("b"); // report
    return;
    await queue.add("never", {});
  });
}`,
  "a callback that a function of the project runs": `${queue} ${open}
async function each<T>(items: T[], work: (item: T) => Promise<unknown>) { for (const item of items) await work(item); }
async function traced<T>(name: string, work: () => Promise<T>) { return work(); }
const kept: (() => unknown)[] = [];
function later(work: () => unknown) { kept.push(work); }
export async function place() {
  await dataSource.transaction(async () => {
    await each([1], async (id) => {
      await queue.add("mail", { id }); // report
    });
    await traced("x", () =>
      queue.add("mail", {}), // report
    );
    later(() => queue.add("mail", {}));
  });
}`,
  "a class whose constructor dispatches, a getter of a queue": `${queue} ${open}
class Welcome { constructor(id: number) { void queue.add("mail", { id }); } }
class Queues { get mails() { return queue; } readonly others = queue; }
export async function place(queues: Queues) {
  await dataSource.transaction(async () => {
    new Welcome(1); // report
    await queues.others.add("mail", {}); // report
  });
}`,
  "a dispatch function that is handed over": `${queue} ${open}
async function confirm(id: number, dispatch: (id: number) => Promise<unknown>) { await dispatch(id); }
export async function place() {
  await dataSource.transaction(async () => {
    await confirm(1, (id) => queue.add("mail", { id })); // report
    await confirm(1, async (id) => id);
  });
}`,
});

const crossFile = linted(rule, {
  "main.ts": `${open} import { Orders } from "./orders/orders.js";
export class Checkout {
  constructor(private readonly orders: Orders) {}
  async place() {
    await dataSource.transaction(async (manager) => {
      await this.orders.confirm(1);
    });
  }
}`,
  "orders/orders.ts": `import { Mailer } from "../mailer.js";
export class Orders {
  constructor(private readonly mailer: Mailer) {}
  async confirm(id: number) {
    await this.mailer.welcome(id);
  }
}`,
  "mailer.ts": `import type { Queue } from "bullmq";
export class Mailer {
  constructor(private readonly queue: Queue) {}
  async welcome(id: number) {
    await this.queue.add("mail", { id });
  }
}`,
});

test("The message names the path, with file and line of each step", () => {
  expect(crossFile().map(({ file, line, message }) => `${file}:${String(line)} ${message}`)).toEqual([
    "main.ts:6 `Queue.add` sends before the transaction of `DataSource.transaction` (line 5) commits: the worker can run before the rows are there, and a rollback does not take it back. Path: orders.confirm → mailer.welcome (orders/orders.ts:5) → queue.add (mailer.ts:5). Send after the commit, or write an outbox row in the transaction.",
  ]);
});
