import { expect, test } from "vitest";
import { run } from "../../src/cli/run.js";
import { createEffects } from "../../src/effects/effects.js";
import { databaseLocks } from "../../src/locks/database.js";
import { createOutbox } from "../../src/outbox/outbox.js";
import { createTransactionManager } from "../../src/transaction-manager.js";
import { version } from "../../src/version.js";
import { subjects } from "../databases/subjects.js";

async function call(...args: string[]) {
  let out = "";
  let err = "";
  const { signal } = new AbortController();
  const folder = import.meta.dirname;
  const code = await run(args, { out: (text) => (out += text), err: (text) => (err += text), folder, signal });
  return { code, out, err };
}

test.each(subjects.filter(({ available }) => available))("what it prints makes the tables ($name)", async (subject) => {
  const opened = await subject.open();
  const { code, out, err } = await call(
    ...["ddl", "--dialect", opened.database.dialect, "--outbox", "my_outbox", "--locks", "my_locks"],
    ...["--effects", "my_effects"],
  );
  expect({ code, err }).toEqual({ code: 0, err: "" });
  for (const text of out.split(/;\s*\n/)) if (text.trim() !== "") await opened.database.query(text);
  const transactions = createTransactionManager(opened.database);
  await createOutbox({ transactions, table: "my_outbox" }).verify();
  await createEffects({ transactions, table: "my_effects" }).verify();
  await databaseLocks({ database: opened.database, table: "my_locks" }).verify();
  await opened.database.query("select operation_key from aftercommit_ledger");
  await opened.close();
});

test.each([
  [["ddl", "--dialect", "oracle"], 'there is no dialect "oracle"; give postgres, mysql (also for MariaDB) or sqlite'],
  [["ddl"], "--dialect is missing"],
  [["ddl", "--dialect", "mysql", "--for", "toString"], 'nothing is printed for "toString"; give prisma, drizzle, knex'],
  [[], "no command was given"],
  [["outbox"], 'there is no command "outbox"'],
  [["outbox", "requeue"], "give the ids of rows, or --failed"],
  [["outbox", "list", "--state", "lost"], "There is no aftercommit.config.js"],
  [["ledger", "prune"], "--resent-within is missing"],
  [["ledger", "prune", "--resent-within", "soon"], '--resent-within must be a number from 0, not "soon"'],
  [["effects", "prune"], "--resent-within is missing"],
  [["review", "list", "--state", "lost"], 'there is no state "lost"; give review, intended'],
  [["review", "resolve", "--as", "done"], "give the keys of the operations"],
  [["review", "resolve", "a:1"], "--as is missing; give done, refused, not-sent"],
  [["review", "resolve", "a:1", "--as", "lost"], 'nothing is resolved as "lost"'],
  [["review", "resolve", "a:1", "--as", "refused"], "--reason goes with --as refused"],
  [["review", "resolve", "a:1", "--as", "done", "--reason", "x"], "--reason goes with --as refused"],
  [["review", "resolve", "a:1", "--as", "not-sent", "--result", "1"], "--result goes with --as done"],
  [["review", "resolve", "a:1", "--as", "done", "--result", "{"], "--result must be JSON, not {"],
  [["relay", "--health-port", "70000"], "--health-port must be a port"],
  [["migrate"], 'there is no command "migrate"'],
  [["ddl", "--dialect", "mysql", "more"], '"more" is one word too many'],
  [["ddl", "--dialekt", "mysql"], "--dialekt"],
  [["ddl", "--dialect", "mysql", "--outbox", "a; drop table b"], "must have a plain name"],
  [["ddl", "--dialect", "mysql", "--locks", "a; drop table b"], "must have a plain name"],
])("%j is wrong usage: exit code 2, nothing on standard output", async (args, message) => {
  const { code, out, err } = await call(...args);
  expect(code).toBe(2);
  expect(out).toBe("");
  expect(err).toContain(message);
});

test.each([
  ...["ddl", "relay", "doctor", "outbox list", "outbox requeue", "outbox discard", "review list", "review resolve"],
  ...["ledger prune", "effects prune"],
])("%s --help says what it takes, without the project's file", async (name) => {
  const { code, out, err } = await call(...name.split(" "), "--help");
  expect({ code, err }).toEqual({ code: 0, err: "" });
  expect(out).toContain(`Usage: aftercommit ${name}`);
  expect(out).toContain("Exit codes");
  expect((await call("--help")).out).toContain(`  ${name} `);
});

test("--version", async () => {
  expect(await call("--version")).toEqual({ code: 0, out: `${version}\n`, err: "" });
});

test("--json answers in JSON, errors too", async () => {
  const { out } = await call("ddl", "--dialect", "postgres", "--json");
  expect(JSON.parse(out)).toMatchObject({
    dialect: "postgres",
    sql: expect.stringContaining("CREATE TABLE") as string,
  });
  const { code, err } = await call("doctor", "--json");
  expect(code).toBe(2);
  expect(JSON.parse(err)).toMatchObject({ error: { code: "AFTERCOMMIT_CONFIGURATION" } });
});
