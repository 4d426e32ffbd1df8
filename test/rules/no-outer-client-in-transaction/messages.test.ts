import { expect, test } from "vitest";

import { noOuterClientInTransaction as rule } from "../../../rules/no-outer-client-in-transaction.js";
import { linted } from "../lint-cases.js";

const found = linted(rule, {
  "main.ts": `import { PGlite } from "@electric-sql/pglite"; import { Model, type Sequelize } from "sequelize"; import { prisma } from "./client.js"; import { audit } from "./audit.js";
declare const sequelize: Sequelize; class Order extends Model {} const lite = new PGlite();
export async function place(data: { id: string }) {
  await prisma.$transaction(async (tx) => {
    await prisma.order.findMany();
    await audit("placed");
  });
  await sequelize.transaction(async (t) => {
    await Order.create({});
    await Order.update({}, { where: {} });
    await Order.findAll();
  });
  await lite.transaction(async (tx) => { await lite.query("select 1"); });
}`,
  "client.ts": `import { PrismaClient } from "@prisma/client"; export const prisma = new PrismaClient();`,
  "audit.ts": `import type { Prisma } from "@prisma/client"; import { prisma } from "./client.js";
export async function audit(event: string, db: Prisma.TransactionClient = prisma) { await db.outbox.create({ data: { event } as never }); }`,
});

const beside =
  "it runs on a second connection, does not see what the transaction has written, and stays when the transaction rolls back; enough of them at once, and all wait for a connection for ever.";

test("the message says what happens, by which path, and what to do", () => {
  expect(found().map(({ message }) => message)).toEqual([
    `\`prisma.order.findMany\` goes over \`prisma\` and not over the transaction of \`PrismaClient.$transaction\` (line 4): ${beside} Use \`tx\` instead.`,
    `\`db.outbox.create\` goes over \`prisma\` and not over the transaction of \`PrismaClient.$transaction\` (line 4): ${beside} Path: audit → outbox.create (audit.ts:2). Pass \`tx\` on, and use it there.`,
    `\`Order.create\` is not given the transaction of \`Sequelize.transaction\` (line 8): ${beside} Pass \`t\`: \`{ transaction: t }\`.`,
    `\`Order.update\` is not given the transaction of \`Sequelize.transaction\` (line 8): ${beside} Pass \`t\`: \`{ transaction: t }\`.`,
    `\`Order.findAll\` is not given the transaction of \`Sequelize.transaction\` (line 8): ${beside} Pass \`t\`: \`{ transaction: t }\`.`,
    "`lite.query` goes over `lite`, which waits until the transaction of `BasePGlite.transaction` (line 13) is over, and that waits for this statement: both wait for ever. Use `tx` instead.",
  ]);
});

test("suggestions write the handle where it belongs", () => {
  expect(found().map(({ line, results }) => results.map((text) => text.split("\n")[line - 1]?.trim()))).toEqual([
    ["await tx.order.findMany();"],
    [],
    ["await Order.create({}, { transaction: t });"],
    ["await Order.update({}, { transaction: t, where: {} });"],
    ["await Order.findAll({ transaction: t });"],
    ['await lite.transaction(async (tx) => { await tx.query("select 1"); });'],
  ]);
});
