/** A connection that breaks at the worst moments, between a real server and its driver. */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { CommitOutcomeUnknownError, RolledBackError } from "../../src/errors.js";
import { createTransactionManager, type TransactionManager } from "../../src/transaction-manager.js";
import { everySubject, type Opened } from "./subjects.js";
import { layWire, type Wire } from "./wire.js";

const overTheNetwork = everySubject.flatMap(({ port, ...subject }) =>
  port === undefined ? [] : [{ ...subject, port }],
);

describe.each(overTheNetwork)("$name", (subject) => {
  const { port, available } = subject;
  describe.skipIf(!available)("on its server", () => {
    let wire: Wire;
    let opened: Opened;
    let transactions: TransactionManager;
    let ran: string[];

    beforeAll(async () => {
      wire = await layWire(port);
      opened = await subject.open({ port: wire.port });
      transactions = createTransactionManager(opened.database);
      await opened.database.query("create table lost_connections (id integer not null primary key)");
    });
    beforeEach(async () => {
      ran = [];
      await opened.database.query("delete from lost_connections");
    });
    afterEach(() => {
      expect(opened.inUse()).toBe(0);
    });
    afterAll(async () => {
      await opened.close();
      await wire.close();
    });

    const runAnd = (then: () => void) =>
      transactions.run(async (tx) => {
        tx.afterCommit(() => ran.push("committed"));
        tx.afterRollback(() => ran.push("rolled back"));
        await opened.on(tx.handle, "insert into lost_connections values (1)");
        then();
      });
    const stored = async () => (await opened.database.query("select id from lost_connections")).rows.length;

    test("TX-18 cut after the server got COMMIT: unknown, although it is committed, and no effect runs", async () => {
      const run = runAnd(() => {
        wire.cutAt("COMMIT", "before the answer arrives");
      });
      const error: unknown = await run.catch((reason: unknown) => reason);
      expect(error).toBeInstanceOf(CommitOutcomeUnknownError);
      expect(error).toMatchObject({ state: "unknown" });
      expect(ran).toEqual([]);
      expect(await stored()).toBe(1);
    });

    test("TX-18 cut before the server got COMMIT: unknown, although it is rolled back, and no effect runs", async () => {
      const run = runAnd(() => {
        wire.cutAt("COMMIT", "before it arrives");
      });
      await expect(run).rejects.toThrow(CommitOutcomeUnknownError);
      expect(ran).toEqual([]);
      expect(await stored()).toBe(0);
    });

    test("cut before COMMIT was sent: rolled back, for certain", async () => {
      const run = transactions.run(async (tx) => {
        tx.afterRollback(() => ran.push("rolled back"));
        await opened.on(tx.handle, "insert into lost_connections values (1)");
        wire.cut();
        await opened.on(tx.handle, "insert into lost_connections values (2)").catch(() => undefined);
      });
      await expect(run).rejects.toThrow(RolledBackError);
      expect(ran).toEqual(["rolled back"]);
      expect(await stored()).toBe(0);
    });

    test("cut in a statement: the driver's error reaches the caller, and the next transaction works", async () => {
      const run = runAnd(() => undefined).then(() =>
        transactions.run(async (tx) => {
          wire.cutAt("insert", "before it arrives");
          await opened.on(tx.handle, "insert into lost_connections values (2)");
        }),
      );
      await expect(run).rejects.toThrow();
      await transactions.run((tx) => opened.on(tx.handle, "insert into lost_connections values (3)"));
      expect(await stored()).toBe(2);
    });
  });
});
