/** The built program as a process of its own, with a project's file, on real databases. */
import { execFile, spawn, type ChildProcess } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer, type AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import BetterSqlite3 from "better-sqlite3";
import mysql from "mysql2/promise";
import pg from "pg";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { effectsDdl } from "../../src/effects/ddl.js";
import { newJobId } from "../../src/job-id.js";
import { ledgerDdl } from "../../src/ledger/ddl.js";
import { outboxDdl } from "../../src/outbox/ddl.js";
import { subjects } from "../databases/subjects.js";

const root = join(import.meta.dirname, "../..");
const program = join(root, "dist/cli/aftercommit.js");
const schema = `cli_${randomBytes(4).toString("hex")}`;
const server = { host: "127.0.0.1", user: "postgres", database: "test" };

/** A project's file. `timeout` and `retention` are what a test makes wrong. */
const projectFile = (database: string) => `
  import { createEffects, createLedger, createOutbox, createTransactionManager, defineConnection } from "aftercommit";
  import { memoryQueues } from "aftercommit/queues/memory";
  import { z } from "zod";
  ${database}
  const transactions = createTransactionManager(database);
  const outbox = createOutbox({ transactions });
  const ledger = createLedger({ transactions, retention: Number(process.env.RETENTION ?? 86_400) });
  const effects = createEffects({ transactions, retention: Number(process.env.RETENTION ?? 86_400) });
  const lease = Number(process.env.LEASE ?? 90);
  const adapter = { ...memoryQueues(), effectiveLease: () => Promise.resolve(lease) };
  const points = defineConnection({ queues: adapter, retryAfter: 90, delivery: outbox }).queue("points", {
    payload: z.object({ n: z.number() }),
    timeout: 30,
    tries: 5,
    repeatSafety: { by: "ledger" },
  });
  export default { outbox, ledger, effects, queues: [points] };
`;

interface Project {
  readonly name: string;
  readonly available: boolean;
  readonly file: string;
  /** SQL for times: now, three days ago and tomorrow as outbox and effects write them, and the first two as the ledger does. */
  readonly now: string;
  readonly longAgo: string;
  readonly future: string;
  readonly recent: string;
  readonly old: string;
  sql(text: string): Promise<unknown[]>;
  open(): Promise<void>;
  close(): Promise<void>;
}

let folder: string;
let pool: pg.Pool;
let mysqlPool: mysql.Pool;
let sqlite: BetterSqlite3.Database;

const projects: Project[] = [
  {
    name: "pg",
    available: subjects.find(({ name }) => name === "pg")?.available === true,
    now: "now()",
    longAgo: "now() - interval '3 days'",
    future: "now() + interval '1 day'",
    recent: "now()",
    old: "now() - interval '3 days'",
    file: `
      import { pgDatabase } from "aftercommit/databases/pg";
      import pg from "pg";
      const options = { ...${JSON.stringify(server)}, port: Number(process.env.PORT ?? 5432), options: "-c search_path=${schema}" };
      const database = pgDatabase(new pg.Pool(options));`,
    async open() {
      pool = new pg.Pool({ ...server, options: `-c search_path=${schema}` });
      await pool.query(
        `create schema ${schema}; ${outboxDdl("postgres")} ${ledgerDdl("postgres")} ${effectsDdl("postgres")}`,
      );
    },
    sql: async (text) => (await pool.query(text)).rows as unknown[],
    async close() {
      await pool.query(`drop schema ${schema} cascade`);
      await pool.end();
    },
  },
  {
    name: "mysql2",
    available: subjects.find(({ name }) => name === "mysql2")?.available === true,
    now: "utc_timestamp(3)",
    longAgo: "utc_timestamp(3) - interval 3 day",
    future: "utc_timestamp(3) + interval 1 day",
    recent: "utc_timestamp(6)",
    old: "utc_timestamp(6) - interval 3 day",
    file: `
      import { mysql2Database } from "aftercommit/databases/mysql2";
      import mysql from "mysql2/promise";
      const database = mysql2Database(mysql.createPool({ host: "127.0.0.1", user: "root", database: "${schema}" }));`,
    async open() {
      const administrator = await mysql.createConnection({ host: "127.0.0.1", user: "root" });
      await administrator.query(`create database ${schema}`);
      await administrator.end();
      mysqlPool = mysql.createPool({ host: "127.0.0.1", user: "root", database: schema, multipleStatements: true });
      await mysqlPool.query(`${outboxDdl("mysql")} ${ledgerDdl("mysql")} ${effectsDdl("mysql")}`);
    },
    sql: async (text) => (await mysqlPool.query(text))[0] as unknown as unknown[],
    async close() {
      await mysqlPool.query(`drop database ${schema}`);
      await mysqlPool.end();
    },
  },
  {
    name: "better-sqlite3",
    available: true,
    now: "strftime('%Y-%m-%d %H:%M:%f', 'now')",
    longAgo: "strftime('%Y-%m-%d %H:%M:%f', 'now', '-3 days')",
    future: "strftime('%Y-%m-%d %H:%M:%f', 'now', '+1 day')",
    recent: "unixepoch('subsec')",
    old: "unixepoch('subsec') - 259200",
    file: `
      import { betterSqlite3Database } from "aftercommit/databases/better-sqlite3";
      import BetterSqlite3 from "better-sqlite3";
      const database = betterSqlite3Database(new BetterSqlite3("shop.db"));`,
    open() {
      sqlite = new BetterSqlite3(join(folder, "shop.db"));
      sqlite.pragma("journal_mode = wal");
      sqlite.exec(`${outboxDdl("sqlite")} ${ledgerDdl("sqlite")} ${effectsDdl("sqlite")}`);
      return Promise.resolve();
    },
    sql(text) {
      const statement = sqlite.prepare(text);
      if (statement.reader) return Promise.resolve(statement.all());
      statement.run();
      return Promise.resolve([]);
    },
    close() {
      sqlite.close();
      return Promise.resolve();
    },
  },
];

interface Ended {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

function call(args: readonly string[], env: Record<string, string> = {}): Promise<Ended> {
  return new Promise((resolve) => {
    const options = { cwd: folder, env: { ...process.env, ...env } };
    const child = execFile(process.execPath, [program, ...args], options, (_error, out, err) => {
      resolve({ code: child.exitCode ?? -1, out, err });
    });
  });
}

describe.each(projects)("$name", (project) => {
  describe.skipIf(!project.available)("on its server", () => {
    beforeAll(async () => {
      folder = mkdtempSync(join(tmpdir(), "aftercommit-cli-"));
      mkdirSync(join(folder, "node_modules"));
      symlinkSync(root, join(folder, "node_modules/aftercommit"));
      for (const name of ["pg", "mysql2", "better-sqlite3", "zod"]) {
        symlinkSync(join(root, "node_modules", name), join(folder, "node_modules", name));
      }
      writeFileSync(join(folder, "aftercommit.config.mjs"), projectFile(project.file));
      await project.open();
    });
    beforeEach(async () => {
      await project.sql("delete from aftercommit_outbox");
      await project.sql("delete from aftercommit_ledger");
      await project.sql("delete from aftercommit_effects");
    });
    afterAll(async () => {
      await project.close();
      rmSync(folder, { recursive: true });
    });

    const { now, recent, old } = project;
    const insert = async (state: "available_at" | "failed_at", n: number) => {
      const id = newJobId();
      const columns = state === "available_at" ? "available_at" : "failed_at, available_at";
      const values = state === "available_at" ? now : `${now}, null`;
      await project.sql(
        `insert into aftercommit_outbox (id, queue, payload, occurred_at, created_at, last_error, ${columns}) ` +
          `values ('${id}', 'points', '{"n":${n.toString()}}', ${now}, ${now}, 'too large', ${values})`,
      );
      return id;
    };
    const rows = () =>
      project.sql(
        "select payload, case when dispatched_at is not null then 'dispatched' when failed_at is not null then 'failed' " +
          "else 'waiting' end as state from aftercommit_outbox order by payload",
      );

    test("doctor finds nothing wrong where nothing is", async () => {
      const { code, out } = await call(["doctor"]);
      expect(out).not.toContain("WRONG");
      expect(code).toBe(0);
      for (const check of [
        "table of the outbox",
        "table of the ledger",
        "table of the effects",
        'lease of queue "points"',
        "clock of the database",
      ]) {
        expect(out).toContain(`ok     ${check}`);
      }
    });

    test("RT-03, LE-02 doctor names a retention below the redelivery and a lease that is not above the timeout", async () => {
      const { code, out } = await call(["doctor", "--json"], { RETENTION: "60", LEASE: "30" });
      expect(code).toBe(1);
      const wrong = (JSON.parse(out) as { check: string; ok: boolean; detail: string }[]).filter(({ ok }) => !ok);
      expect(wrong.map(({ check }) => check)).toEqual([
        "retention of the ledger",
        "retention of the effects",
        'lease of queue "points"',
      ]);
      expect(wrong[0]?.detail).toContain("at least 450 s, not 60 s");
      expect(wrong[1]?.detail).toContain("at least 450 s, not 60 s");
      expect(wrong[2]?.detail).toContain("30 s, not above the timeout of 30 s");
    });

    test("rows that were given up are listed, requeued and discarded", async () => {
      const [first, second] = [await insert("failed_at", 1), await insert("failed_at", 2)];
      await insert("available_at", 3);
      const listed = await call(["outbox", "list", "--json"]);
      expect((JSON.parse(listed.out) as { id: string }[]).map(({ id }) => id).sort()).toEqual([first, second].sort());
      expect((await call(["outbox", "list"])).out).toMatch(
        new RegExp(`^${first} {2}points .*0 attempts {2}too large$`, "m"),
      );

      expect(await call(["outbox", "requeue", first])).toMatchObject({ code: 0, out: "1 requeued\n" });
      expect(await call(["outbox", "discard", "--failed"])).toMatchObject({ code: 0, out: "1 discarded\n" });
      expect(await rows()).toEqual([
        { payload: '{"n":1}', state: "waiting" },
        { payload: '{"n":3}', state: "waiting" },
      ]);
      expect(await call(["outbox", "requeue", "7"])).toMatchObject({ code: 2, out: "" });
    });

    test("RT-05 old records of the ledger are deleted, unless the window is too short", async () => {
      await project.sql(
        `insert into aftercommit_ledger (operation_key, recorded_at) values ('a', ${old}), ('b', ${old}), ('c', ${recent})`,
      );
      const refused = await call(["ledger", "prune", "--resent-within", "86400"]);
      expect(refused).toMatchObject({ code: 2, out: "" });
      expect(refused.err).toContain("Records must be kept for at least 86850 s");
      const { code, out, err } = await call(["ledger", "prune", "--resent-within", "3600"]);
      expect({ code, out, err }).toEqual({ code: 0, out: "2 deleted\n", err: "2 deleted\n" });
      expect(await project.sql("select operation_key from aftercommit_ledger")).toEqual([{ operation_key: "c" }]);
    });

    /** Writes a record of an effect down: undecided, to be left alone or for review, or decided. */
    const effect = async (key: string, state: string, openUntil: string, decidedAt = "null") => {
      await project.sql(
        "insert into aftercommit_effects (operation_key, service, state, takes_key, fingerprint, request, call_id, calls, " +
          `intended_at, open_until, decided_at, last_error, queue, job_id) values ('${key}', 'carrier', '${state}', 0, ` +
          `'${"0".repeat(64)}', '{"n":1}', '${newJobId()}', 1, ${project.now}, ${openUntil}, ${decidedAt}, 'socket hang up', ` +
          `'points', '${newJobId()}')`,
      );
    };

    test("EX-05, EX-06 what is unknown is listed and resolved", async () => {
      await effect("ship:1", "unknown", project.now);
      await effect("ship:2", "intended", project.longAgo);
      await effect("ship:3", "intended", project.future);
      await effect("ship:4", "done", "null", project.now);
      await effect("ship:5", "unknown", project.now);
      const listed = await call(["review", "list", "--json"]);
      expect((JSON.parse(listed.out) as { key: string }[]).map(({ key }) => key).sort()).toEqual([
        ...["ship:1", "ship:2", "ship:5"],
      ]);
      const { out } = await call(["review", "list", "--service", "carrier"]);
      expect(out).toMatch(
        /^ship:1 {2}carrier {2}unknown {2}.* 1 calls {2}job \S+ of points {2}\{"n":1\} {2}socket hang up$/m,
      );
      expect(await call(["review", "list", "--service", "other"])).toMatchObject({ code: 0, out: "none\n" });

      expect(
        await call([
          "review",
          "resolve",
          "ship:1",
          "--as",
          "done",
          "--result",
          '{"parcel":7}',
          "--note",
          "their portal",
        ]),
      ).toMatchObject({ code: 0, out: "1 resolved\n" });
      expect(await call(["review", "resolve", "ship:5", "--as", "refused", "--reason", "no street"])).toMatchObject({
        code: 0,
      });
      // Of several, those that wait are resolved, and the exit code tells of the others.
      const mixed = await call(["review", "resolve", "ship:2", "ship:3", "ship:4", "--as", "not-sent", "--json"]);
      expect(mixed).toMatchObject({ code: 1, err: "" });
      expect(JSON.parse(mixed.out)).toEqual({ resolved: ["ship:2"], notWaiting: ["ship:3", "ship:4"] });
      expect(
        await project.sql("select operation_key, state, answer, note from aftercommit_effects order by operation_key"),
      ).toEqual([
        { operation_key: "ship:1", state: "done", answer: '{"parcel":7}', note: "their portal" },
        { operation_key: "ship:2", state: "not sent", answer: null, note: null },
        { operation_key: "ship:3", state: "intended", answer: null, note: null },
        { operation_key: "ship:4", state: "done", answer: null, note: null },
        { operation_key: "ship:5", state: "refused", answer: "no street", note: null },
      ]);
      expect(await call(["review", "list"])).toMatchObject({ code: 0, out: "none\n" });
    });

    test("RT-05 old records of effects are deleted, those that are undecided are not", async () => {
      await effect("ship:1", "done", "null", project.longAgo);
      await effect("ship:2", "unknown", project.longAgo);
      await effect("ship:3", "done", "null", project.now);
      expect(await call(["effects", "prune", "--resent-within", "86400"])).toMatchObject({ code: 2, out: "" });
      expect(await call(["effects", "prune", "--resent-within", "3600"])).toMatchObject({
        code: 0,
        out: "1 deleted\n",
      });
      expect(await project.sql("select operation_key from aftercommit_effects order by operation_key")).toEqual([
        { operation_key: "ship:2" },
        { operation_key: "ship:3" },
      ]);
    });

    test("OB-15 the relay sends, answers for its health, and ends on SIGTERM with exit code 0", async () => {
      await insert("available_at", 1);
      const child = spawn(process.execPath, [program, "relay", "--health-port", "0", "--json"], {
        cwd: folder,
        stdio: ["ignore", "pipe", "pipe"],
      });
      const output = outputOf(child);
      const [, port = ""] = await output.says(/relays points; health on port (\d+)/);
      const answer = await fetch(`http://127.0.0.1:${port}/`);
      expect([answer.status, await answer.json()]).toEqual([200, { status: "running" }]);
      while (JSON.stringify(await rows()) !== '[{"payload":"{\\"n\\":1}","state":"dispatched"}]') {
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
      child.kill("SIGTERM");
      await once(child, "close");
      expect([child.exitCode, child.signalCode]).toEqual([0, null]);
      expect(JSON.parse(output.out())).toEqual({ stopped: true, queues: ["points"] });
    });

    test("a health port that is taken ends the relay before it takes a row", async () => {
      await insert("available_at", 1);
      const other = createServer().listen(0);
      await once(other, "listening");
      const { port } = other.address() as AddressInfo;
      const { code, out, err } = await call(["relay", "--health-port", port.toString()]);
      other.close();
      expect({ code, out }).toEqual({ code: 1, out: "" });
      expect(err).toMatch(/^aftercommit: .*EADDRINUSE.*\n$/);
      expect(await rows()).toEqual([{ payload: '{"n":1}', state: "waiting" }]);
    });

    test("a project's file that is not right is told in a sentence, without a stack", async () => {
      const file = join(folder, "wrong.config.mjs");
      for (const [text, said] of [
        ["export default { outbocks: 1 }", "exports `outbocks`, which means nothing here"],
        ["export const outbox = 1", "must export an object by default"],
        ["import './absent.mjs'", "cannot be loaded: Cannot find module"],
        ["export default {}", "exports no `outbox`"],
      ] as const) {
        writeFileSync(file, text);
        const { code, out, err } = await call(["outbox", "list", "--config", "wrong.config.mjs"]);
        expect({ code, out }).toEqual({ code: 2, out: "" });
        expect(err).toContain(said);
        expect(err).not.toMatch(/^\s+at /m);
      }
    });

    test.skipIf(project.name !== "pg")(
      "a database that is not there is told in a sentence, with exit code 1",
      async () => {
        const { code, out, err } = await call(["outbox", "list"], { PORT: "1" });
        expect({ code, out }).toEqual({ code: 1, out: "" });
        expect(err).toMatch(/^aftercommit: .*ECONNREFUSED.*\n$/);
      },
    );
  });
});

function outputOf(child: ChildProcess) {
  let out = "";
  let err = "";
  child.stdout?.on("data", (text: Buffer) => (out += text.toString()));
  child.stderr?.on("data", (text: Buffer) => (err += text.toString()));
  return {
    out: () => out,
    /** Resolves when it has said this on standard error. */
    says: (what: RegExp) =>
      new Promise<RegExpExecArray>((resolve, reject) => {
        const look = () => {
          const found = what.exec(err);
          if (found !== null) resolve(found);
        };
        child.stderr?.on("data", look);
        child.once("exit", () => {
          reject(new Error(`it ended without saying ${what.source}: ${err}`));
        });
        look();
      }),
  };
}
