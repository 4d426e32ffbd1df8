import { createTransactionManager, type Connection, type Database } from "aftercommit";
import { inTurns, line, median } from "./stand.ts";

const transactions = 50_000;

/** What the manager itself costs a transaction: its context, and staging one effect, on a database that does nothing. */
export async function measureContext(runs: number): Promise<void> {
  const connection: Connection<object> = {
    handle: {},
    query: () => Promise.resolve({ rows: [], affectedRows: 0 }),
    savepoint: () => Promise.resolve(),
    releaseSavepoint: () => Promise.resolve(),
    rollbackToSavepoint: () => Promise.resolve(),
    commit: () => Promise.resolve({ outcome: "committed" }),
    rollback: () => Promise.resolve(),
    release: () => undefined,
  };
  const database: Database<object> = {
    dialect: "postgres",
    query: () => Promise.resolve({ rows: [], affectedRows: 0 }),
    begin: () => Promise.resolve(connection),
    failure: () => ({ kind: "other" }),
  };
  const manager = createTransactionManager(database);
  const effect = () => undefined;

  const micros = async (transaction: () => Promise<unknown>) => {
    const started = performance.now();
    for (let n = 0; n < transactions; n += 1) await transaction();
    return ((performance.now() - started) * 1000) / transactions;
  };
  const results = await inTurns(
    {
      "begin and commit alone": () =>
        micros(async () => {
          const own = await database.begin();
          await own.commit();
          own.release(false);
        }),
      "aftercommit, a transaction": () => micros(() => manager.run(() => Promise.resolve())),
      "aftercommit, with one effect after the commit": () =>
        micros(() =>
          manager.run((tx) => {
            tx.afterCommit(effect);
          }),
        ),
    },
    runs,
  );
  const base = median(results["begin and commit alone"] ?? []);
  console.log("\nThe transaction manager itself, on a database that does nothing: microseconds a transaction");
  for (const [name, each] of Object.entries(results)) line(name, median(each).toFixed(2), undefined);
  const last = median(results["aftercommit, with one effect after the commit"] ?? []);
  line("context and staging", `${(last - base).toFixed(2)} µs`, undefined, "≤ 5 µs");
}
