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
