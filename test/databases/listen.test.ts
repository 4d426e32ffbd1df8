/** Wake-ups of PostgreSQL. */
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, test, vi } from "vitest";
import { everySubject, postgresPort, subjects } from "./subjects.js";
import { layWire } from "./wire.js";

/** Channels are of the database, whatever the schema. */
const channel = `aftercommit_test_${process.pid.toString()}`;

const withListen = everySubject.filter(({ name }) => ["pg", "pglite", "postgres"].includes(name));

describe.each(withListen)("$name", (subject) => {
  test.skipIf(!subject.available)("a notification arrives after its commit, until the subscription ends", async () => {
    const opened = await subject.open();
    const heard: string[] = [];
    const lost: unknown[] = [];
    const stop = await opened.database.listen?.(
      channel,
      (payload) => heard.push(payload),
      (error) => lost.push(error),
    );
    const notify = (payload: string) => opened.database.query(`notify ${channel}, '${payload}'`);
    await notify("first");
    await vi.waitFor(() => {
      expect(heard).toEqual(["first"]);
    });
    await stop?.();
    await stop?.();
    await notify("second");
    await sleep(20);
    expect(heard).toEqual(["first"]);
    expect(lost).toEqual([]);
    expect(opened.inUse()).toBe(0);
    await opened.close();
  });
});

describe.skipIf(subjects.find(({ name }) => name === "pg")?.available !== true)("pg", () => {
  test("whoever listens is told once when the connection is lost", async () => {
    const subject = subjects.find(({ name }) => name === "pg");
    const wire = await layWire(postgresPort);
    const opened = await subject?.open({ port: wire.port });
    const lost: unknown[] = [];
    const stop = await opened?.database.listen?.(
      channel,
      () => undefined,
      (error) => lost.push(error),
    );
    wire.cut();
    await vi.waitFor(() => {
      expect(lost).toHaveLength(1);
      expect(opened?.inUse()).toBe(0);
    });
    await stop?.();
    await opened?.close();
    await wire.close();
  });
});
