import { expect, test } from "vitest";
import { run } from "../../src/cli/run.js";
import { databaseLocks } from "../../src/locks/database.js";
import { createOutbox } from "../../src/outbox/outbox.js";
import { createTransactionManager } from "../../src/transaction-manager.js";
import { subjects } from "../databases/subjects.js";

function call(...args: string[]) {
  let out = "";
  let err = "";
  const code = run(args, { out: (text) => (out += text), err: (text) => (err += text) });
  return { code, out, err };
}

test.each(subjects.filter(({ available }) => available))("what it prints makes the tables ($name)", async (subject) => {
  const opened = await subject.open();
  const { code, out, err } = call(
    ...["ddl", "--dialect", opened.database.dialect, "--outbox", "my_outbox", "--locks", "my_locks"],
  );
  expect({ code, err }).toEqual({ code: 0, err: "" });
  for (const text of out.split(/;\s*\n/)) if (text.trim() !== "") await opened.database.query(text);
  const transactions = createTransactionManager(opened.database);
  await createOutbox({ transactions, table: "my_outbox" }).verify();
  await databaseLocks({ database: opened.database, table: "my_locks" }).verify();
  await opened.database.query("select operation_key from aftercommit_ledger");
  await opened.close();
});

test.each([
  [["ddl", "--dialect", "oracle"], 'there is no dialect "oracle"; give postgres, mysql (also for MariaDB) or sqlite'],
  [["ddl"], "--dialect is missing"],
  [[], "no command was given"],
  [["migrate"], 'there is no command "migrate"'],
  [["ddl", "--dialect", "mysql", "more"], '"more" is one word too many'],
  [["ddl", "--dialekt", "mysql"], "--dialekt"],
  [["ddl", "--dialect", "mysql", "--outbox", "a; drop table b"], "must have a plain name"],
  [["ddl", "--dialect", "mysql", "--locks", "a; drop table b"], "must have a plain name"],
])("%j is wrong usage: exit code 2, nothing on standard output", (args, message) => {
  const { code, out, err } = call(...args);
  expect(code).toBe(2);
  expect(out).toBe("");
  expect(err).toContain(message);
});

test("--help says what it can do", () => {
  expect(call("--help")).toMatchObject({ code: 0, err: "" });
  expect(call("--help").out).toContain("Exit codes");
});
