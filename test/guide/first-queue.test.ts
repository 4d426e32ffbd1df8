/** docs/guide/first-queue.md and the example of the README, run as they are written, on PostgreSQL and Redis. */
import { execFile, spawn, type ChildProcess } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { Queue as BullQueue } from "bullmq";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { subjects } from "../databases/subjects.js";
import { bullmq } from "../queues/subjects.js";
import { blocksOf } from "./blocks.js";

const root = join(import.meta.dirname, "../..");
const blocks = blocksOf("docs/guide/first-queue.md");
const files = new Map(
  blocks.flatMap(({ language, code }) => {
    const name = /^\/\/ (\S+\.ts)$/m.exec(code)?.[1];
    return language === "ts" && name !== undefined ? [[name, code] as const] : [];
  }),
);

test("the page has the files that it speaks of", () => {
  expect([...files.keys()]).toEqual(["queues.ts", "confirm-order.ts", "worker.ts", "relay.ts", "try-it.ts"]);
  const commands = blocks.filter(({ language }) => language === "sh").map(({ code }) => code);
  expect(commands.join("")).toContain("npx aftercommit ddl --dialect postgres");
  for (const name of commands.join("").matchAll(/^node (\S+)/gm)) expect(files.has(name[1] ?? "")).toBe(true);
});

// Node must run TypeScript by itself, as the one that npm scripts run on does.
const available =
  subjects[0]?.available === true &&
  bullmq.available &&
  "typescript" in process.features &&
  Boolean(process.features.typescript);

describe.skipIf(!available)("on PostgreSQL and Redis", () => {
  const database = `aftercommit_guide_${randomBytes(4).toString("hex")}`;
  const url = (name: string) => `postgres://postgres@127.0.0.1:5432/${name}`;
  // The last database of Redis, so that neither other tests nor anybody's own queues are met.
  const env = { ...process.env, DATABASE_URL: url(database), REDIS_URL: "redis://127.0.0.1:6379/15" };
  const processes: ChildProcess[] = [];
  let folder: string;

  async function sql(name: string, text: string): Promise<void> {
    const client = new pg.Client(url(name));
    await client.connect();
    await client.query(text);
    await client.end();
  }

  function start(name: string) {
    const child = spawn(process.execPath, [name], { cwd: folder, env, stdio: ["ignore", "pipe", "inherit"] });
    processes.push(child);
    let said = "";
    const says = (what: RegExp) =>
      new Promise<string>((resolve, reject) => {
        const look = () => {
          const found = what.exec(said)?.[0];
          if (found !== undefined) resolve(found);
        };
        look();
        child.stdout.on("data", look);
        child.once("exit", () => {
          reject(new Error(`${name} ended without saying ${what.source}: ${said}`));
        });
      });
    child.stdout.on("data", (text: Buffer) => (said += text.toString()));
    return { says, child };
  }

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), "aftercommit-guide-"));
    writeFileSync(join(folder, "package.json"), JSON.stringify({ type: "module" }));
    mkdirSync(join(folder, "node_modules"));
    symlinkSync(root, join(folder, "node_modules/aftercommit"));
    for (const name of ["pg", "bullmq", "zod"]) {
      symlinkSync(join(root, "node_modules", name), join(folder, "node_modules", name));
    }
    for (const [name, code] of files) writeFileSync(join(folder, name), code);
    await sql("test", `CREATE DATABASE ${database}`);
    const cli = join(root, "dist/cli/aftercommit.js");
    const { stdout } = await promisify(execFile)(process.execPath, [cli, "ddl", "--dialect", "postgres"]);
    await sql(database, stdout);
    for (const { language, code } of blocks) if (language === "sql") await sql(database, code);
  });

  afterAll(async () => {
    for (const child of processes) if (child.exitCode === null) child.kill("SIGKILL");
    await sql("test", `DROP DATABASE ${database} WITH (FORCE)`);
    for (const name of ["shipments", "points"]) {
      const queue = new BullQueue(name, { connection: { url: env.REDIS_URL } });
      await queue.obliterate({ force: true });
      await queue.close();
    }
    rmSync(folder, { recursive: true });
  });

  test("the order is confirmed, the job reaches the worker, and both processes end on SIGTERM", async () => {
    const relay = start("relay.ts");
    const worker = start("worker.ts");
    const { says } = start("try-it.ts");
    const [, orderId] = /^order (\S+) is confirmed/.exec(await says(/order .* is confirmed/)) ?? [];
    expect(await worker.says(/order .* is shipped once.*/)).toBe(
      `order ${orderId ?? ""} is shipped once, as ship-order:${orderId ?? ""}`,
    );
    for (const { child } of [relay, worker]) {
      child.kill("SIGTERM");
      if (child.exitCode === null) await once(child, "exit");
      expect([child.exitCode, child.signalCode]).toEqual([0, null]);
    }
  });

  test("the README's example grants ten points, once", async () => {
    const [example] = blocksOf("README.md").filter(({ language }) => language === "ts");
    const setting = `
      import { Pool } from "pg";
      import { z } from "zod";
      const pool = new Pool({ connectionString: process.env["DATABASE_URL"] });
      const [orderId, customerId] = ["018f4a70-0000-7000-8000-000000000001", 7];
      await pool.query("CREATE TABLE balances (customer_id integer PRIMARY KEY, points integer NOT NULL)");
      await pool.query("INSERT INTO balances VALUES (7, 0)");
    `;
    const look = `
      for (let points = 0; points === 0; ) ({ points } = (await pool.query("SELECT points FROM balances")).rows[0]);
      await points.dispatch(await transactions.run(() => ({ orderId, customerId, added: 10 })));
      for (let done = false; !done; ) {
        const { Queue } = await import("bullmq");
        const queue = new Queue("points", { connection });
        done = (await queue.getCompletedCount()) === 2;
        await queue.close();
      }
      console.log("balance", (await pool.query("SELECT points FROM balances")).rows[0].points);
    `;
    const code = example?.code.replace('host: "127.0.0.1",', "$& db: 15,") ?? "";
    expect(code).toContain("db: 15");
    writeFileSync(join(folder, "readme.ts"), setting + code + look);
    const { says } = start("readme.ts");
    expect(await says(/^balance \d+/m)).toBe("balance 10");
  });
});
