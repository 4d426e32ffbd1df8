import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";

import { run } from "../../../rules/cli/run.js";
import type { ExplainedFile } from "../../../rules/explain/explain-file.js";

const root = join(import.meta.dirname, "../../..");
const examples = join(root, "examples");
const folder = mkdtempSync(join(tmpdir(), "aftercommit-explain-"));

afterAll(() => {
  rmSync(folder, { recursive: true });
});

async function call(cwd: string, ...args: string[]) {
  let out = "";
  let err = "";
  const code = await run(args, cwd, { out: (text) => (out += text), err: (text) => (err += text) });
  return { code, out, err };
}

/** Explains code that stands alone, in a folder of its own. */
async function explained(code: string, name = "file.ts"): Promise<ExplainedFile> {
  writeFileSync(join(folder, name), code);
  const { out, err } = await call(folder, "explain", "--json", name);
  expect(err).toBe("");
  return (JSON.parse(out) as [ExplainedFile])[0];
}

test("a transaction, how long it is open, and the way to the dispatch in it, with the types of the project", async () => {
  const { code, out, err } = await call(examples, "explain", "--json", "confirm-order/wrong/confirm-order.ts");
  expect({ code, err }).toEqual({ code: 0, err: "" });
  expect(JSON.parse(out)).toEqual([
    {
      file: "confirm-order/wrong/confirm-order.ts",
      types: { from: "project" },
      transactions: [{ openedBy: "TransactionBuilder.execute", as: "callback", line: 22, from: 22, to: 40 }],
      calls: [
        { line: 10, call: "Client.send", does: "dispatch", runs: "outside" },
        {
          line: 32,
          call: "Client.send",
          does: "dispatch",
          runs: "inside",
          because: 22,
          path: "#shipments.request → #sqs.send (confirm-order.ts:10).",
        },
      ],
      handlers: [],
      leases: [],
    },
  ]);
});

test("a dispatch that joins the transaction by its handle", async () => {
  const { calls } = await explained(`import { fromKnex, PgBoss } from "pg-boss"; import knexLib from "knex";
const boss = new PgBoss("x"); const knex = knexLib({});
export const place = () => knex.transaction(async (trx) => {
  await boss.send("a", {}, { db: fromKnex(trx) });
  await boss.send("b", {});
});`);
  expect(calls).toEqual([
    { line: 4, call: "PgBoss.send", does: "dispatch", runs: "joined" },
    { line: 5, call: "PgBoss.send", does: "dispatch", runs: "inside", because: 3 },
  ]);
});

test("a file in no project is read alone, and the answer says why", async () => {
  const { types, transactions, calls } =
    await explained(`import knexLib from "knex"; import { Queue } from "bullmq"; import axios from "axios";
import { runOnTransactionCommit } from "typeorm-transactional";
const knex = knexLib({}); const queue = new Queue("x");
export async function place() {
  const trx = await knex.transaction();
  await queue.add("a", {});
  await axios.get("/price");
  runOnTransactionCommit(() => queue.add("b", {}));
  await trx.commit();
  await queue.add("c", {});
}`);
  expect(types.from).toBe("file alone");
  expect(transactions).toEqual([{ openedBy: "Knex.transaction", as: "manual", line: 5, from: 5, to: 9 }]);
  expect(calls).toEqual([
    { line: 6, call: "Queue.add", does: "dispatch", runs: "inside", because: 5 },
    { line: 7, call: expect.stringMatching(/get$/) as string, does: "question", runs: "inside", because: 5 },
    { line: 8, call: "Queue.add", does: "dispatch", runs: "deferred", because: 8 },
    { line: 10, call: "Queue.add", does: "dispatch", runs: "outside" },
  ]);
});

test("leases, where they are set, and what is not known of them", async () => {
  const { leases, handlers } = await explained(`import { Worker } from "bullmq";
new Worker("mail", async () => {
  await new Promise((resolve) => setTimeout(resolve, 1000));
}, { lockDuration: 60_000, lockRenewTime: 40_000 });`);
  expect(handlers).toEqual([{ line: 2, library: "BullMQ" }]);
  expect(leases).toContainEqual({
    line: 2,
    library: "BullMQ",
    as: "renewal",
    timeout: { seconds: 40, setBy: "lockRenewTime, line 4" },
    lease: { seconds: 60, setBy: "lockDuration, line 4" },
  });
});

test("a transaction that is run again says by whom", async () => {
  const { transactions } = await explained(`import { MongoClient } from "mongodb"; const client = new MongoClient("x");
export const place = () => client.startSession().withTransaction(async () => {});`);
  expect(transactions).toEqual([
    {
      openedBy: "ClientSession.withTransaction",
      as: "callback",
      line: 2,
      from: 2,
      to: 2,
      rerunBy: "`ClientSession.withTransaction`",
    },
  ]);
});

test("JavaScript, and a file about nothing", async () => {
  const { transactions, calls } = await explained(`export const add = (a, b) => a + b;`, "file.js");
  expect({ transactions, calls }).toEqual({ transactions: [], calls: [] });
});

test("for people it is sentences", async () => {
  const { out } = await call(examples, "explain", "confirm-order/wrong/confirm-order.ts");
  expect(out).toBe(`confirm-order/wrong/confirm-order.ts: read with the types of the project

  Transactions
    22-40  TransactionBuilder.execute (line 22) runs this code inside

  Dispatches and other effects
    10  Client.send dispatches where no transaction is open, as far as is known
    32  Client.send dispatches inside the transaction of line 22, by #shipments.request → #sqs.send (confirm-order.ts:10).

  Job handlers
    none that the plugin knows of

  Leases
    none that the plugin knows of
`);
});

test.each([
  [["explain"], "no file was given"],
  [[], "no command was given"],
  [["lint", "x.ts"], 'there is no command "lint"'],
  [["explain", "--yaml", "x.ts"], "--yaml"],
  [["explain", "nowhere.ts"], "nowhere.ts"],
])("%j is wrong usage: exit code 2, nothing on standard output", async (args, message) => {
  const { code, out, err } = await call(folder, ...args);
  expect({ code, out }).toEqual({ code: 2, out: "" });
  expect(err).toContain(message);
});

test("code that cannot be parsed is said to be so", async () => {
  writeFileSync(join(folder, "broken.ts"), "const = ;");
  const { code, err } = await call(folder, "explain", "broken.ts");
  expect(code).toBe(2);
  expect(err).toMatch(/broken\.ts cannot be parsed: /);
});

test("the built command runs, and --help says what it can do", () => {
  const out = execFileSync(process.execPath, [join(root, "rules/dist/cli/eslint-plugin-aftercommit.js"), "--help"], {
    cwd: examples,
    encoding: "utf8",
  });
  expect(out).toContain("Usage: eslint-plugin-aftercommit explain");
});
