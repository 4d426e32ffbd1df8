import { noDispatchInTransaction as rule } from "../../../rules/no-dispatch-in-transaction.js";
import { lintCases } from "../lint-cases.js";

const queue = `import { Queue } from "bullmq"; const queue = new Queue("mail");`;
const open = `import { DataSource } from "typeorm"; const dataSource = new DataSource({} as never);`;

lintCases("Branches that what the only callers pass rules out", rule, {
  "a list that the plan of the only caller does not have": {
    "plan.ts": `
export interface Plan { customerId: string; transitions?: { id: string }[]; }
export const planOf = (customerId: string): Plan => { const id = customerId.trim(); return { customerId: id }; };`,
    "execute.ts": `${queue} import type { Plan } from "./plan.js";
export async function execute(plan: Plan) {
  for (const transition of plan.transitions ?? []) await queue.add("transition", { id: transition.id });
}`,
    "create.ts": `${open} import { execute } from "./execute.js"; import type { Plan } from "./plan.js";
export async function create({ plan }: { plan: Plan }) {
  await dataSource.transaction(async () => { await execute(plan); });
}`,
    "main.ts": `import { create } from "./create.js"; import { planOf } from "./plan.js";
export async function main(customerId: string) { const plan = planOf(customerId); await create({ plan }); }`,
  },
  "one of two callers passes it": {
    "create.ts": `${open} ${queue}
export async function create(id: string, options: { notify?: boolean }) {
  await dataSource.transaction(async () => {
    if (options.notify) await queue.add("mail", { id }); // report
  });
}`,
    "main.ts": `import { create } from "./create.js";
export async function quiet(id: string) { await create(id, {}); }
export async function loud(id: string) { await create(id, { notify: true }); }`,
  },
  "no caller passes it": {
    "create.ts": `${open} ${queue}
export async function create(id: string, options: { notify?: boolean }) {
  await dataSource.transaction(async () => {
    if (options.notify) await queue.add("mail", { id }); // report untyped
  });
}`,
    "main.ts": `import { create } from "./create.js";
export async function quiet(id: string) { await create(id, {}); }
export async function silent(id: string) { await create(id, { notify: false }); }`,
  },
  "what a caller passes is filled later": {
    "create.ts": `${open} ${queue}
export async function create(id: string, options: { notify?: boolean; items?: string[] }) {
  await dataSource.transaction(async () => {
    if (options.notify) await queue.add("mail", { id }); // report
    for (const item of options.items ?? []) await queue.add("item", { item }); // report
  });
}`,
    "main.ts": `import { create } from "./create.js";
export async function main(id: string, isLate: boolean) {
  const options: { notify?: boolean; items?: string[] } = {};
  if (isLate) options.notify = true;
  options.items = [];
  options.items.push(id);
  await create(id, options);
}`,
  },
  "the function is also handed on": {
    "create.ts": `${open} ${queue}
export async function create(id: string, options?: { notify?: boolean }) {
  await dataSource.transaction(async () => {
    if (options?.notify) await queue.add("mail", { id }); // report
  });
}`,
    "main.ts": `import { create } from "./create.js";
export const handlers = { create };
export async function quiet(id: string) { await create(id); }`,
  },
  "lists that are empty before they are filled": `${open} ${queue}
export async function place(ids: string[]) {
  const mails: string[] = [];
  for (const id of ids) mails.push(id);
  await dataSource.transaction(async () => {
    for (const id of mails) await queue.add("mail", { id }); // report
    for (const id of ids ?? []) await queue.add("mail", { id }); // report
  });
}`,
});

const kept = `${open} ${queue} import { AsyncLocalStorage } from "node:async_hooks";
const storage = new AsyncLocalStorage<{ hooks: (() => Promise<unknown>)[]; jobs: object[] }>();`;

lintCases("Branches for the case that no transaction is open", rule, {
  "a function is kept where there is one": `${kept}
async function first(fn: () => Promise<unknown>) { const store = storage.getStore(); if (store) store.hooks.push(fn); else await fn(); }
async function second(fn: () => Promise<unknown>) { const store = storage.getStore(); if (!store) { await fn(); return; } store.hooks.push(fn); }
async function third(fn: () => Promise<unknown>) { const store = storage.getStore(); if (store) { store.hooks.push(async () => { await fn(); }); return; } await fn(); }
const fourth = (fn: () => Promise<unknown>) => { const store = storage.getStore(); return store ? store.hooks.push(fn) : fn(); };
await dataSource.transaction(async () => {
  await first(() => queue.add("mail", {}));
  await second(() => queue.add("mail", {}));
  await third(() => queue.add("mail", {}));
  await fourth(() => queue.add("mail", {}));
});`,
  "what is sent is kept where there is one": `${kept}
class Jobs {
  async first(data: object) { const store = storage.getStore(); if (store) { store.hooks.push(() => queue.add("mail", data)); return; } await queue.add("mail", data); }
  async second(data: object) { const store = storage.getStore(); if (store) { store.jobs.push(data); return; } await queue.add("mail", data); }
}
const jobs = new Jobs();
await dataSource.transaction(async () => { await jobs.first({}); await jobs.second({}); });`,
  "the handle's own slot where it is passed": `${queue}
import { Sequelize, type Transaction } from "sequelize";
const sequelize = new Sequelize("x");
async function enqueue(data: object, t?: Transaction) {
  if (t) { t.afterCommit(() => { void queue.add("mail", data); }); return; }
  await queue.add("mail", data);
}
await sequelize.transaction(async (t) => {
  await enqueue({}, t);
  await enqueue({}); // report
});`,
  "a test of the handle": `${queue}
import { knex, type Knex } from "knex";
const db = knex({});
async function first(trx?: Knex.Transaction) { if (!trx) await queue.add("mail", {}); }
async function second(k: Knex) { if (k.isTransaction) return; await queue.add("mail", {}); }
async function third(trx?: Knex.Transaction, isLoud = true) { if (trx === undefined && isLoud) await queue.add("mail", {}); }
await db.transaction(async (trx) => {
  await first(trx); await second(trx); await third(trx);
  await first(); // report
  await third(); // report
});`,
  "a list that has nothing to do with the test": `${open} ${queue}
async function notify(errors: string[], isValid: boolean) { if (!isValid) { errors.push("no"); return; } await queue.add("mail", {}); }
await dataSource.transaction(async () => {
  await notify([], true); // report
});`,
});

lintCases("Branches that end in a throw", rule, {
  "tell why the work failed": `${open} ${queue}
export const run = (id: string | undefined) => dataSource.transaction(async () => {
  if (id === undefined) { await queue.add("missing", {}); throw new Error("missing"); }
  if (id === "") throw new Error(String(await queue.add("empty", {})));
  await queue.add("found", { id }); // report
});`,
});

lintCases("Defaults in patterns", rule, {
  "decide a branch where nothing is passed": `${open} ${queue}
async function save({ notify = false, isSilent = true }: { notify?: boolean; isSilent?: boolean } = {}) { if (notify || !isSilent) await queue.add("mail", {}); }
await dataSource.transaction(async () => {
  await save();
  await save({ notify: false });
  await save({ notify: true }); // report
  await save({ isSilent: false }); // report
});`,
});
