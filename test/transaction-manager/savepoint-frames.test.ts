/** Random programs of savepoints, checked against a model: what is kept, and in which order. */
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { createTransactionManager } from "../../src/transaction-manager.js";
import type { Transaction } from "../../src/transaction.js";
import type { WriteBatch } from "../../src/staged-work.js";
import { scopeOf } from "../../src/transaction-scope.js";
import { fakeDatabase, type FakeHandle } from "./fake-database.js";

type Step = { readonly do: "work" } | Block;

interface Block {
  readonly do: "savepoint" | "run";
  readonly steps: readonly Step[];
  readonly fails: boolean;
}

const block: fc.Memo<Block> = fc.memo((depth) =>
  fc.record({
    do: fc.constantFrom("savepoint", "run"),
    steps: fc.array(depth > 1 ? step(depth - 1) : fc.constant({ do: "work" } as const), { maxLength: 5 }),
    fails: fc.boolean(),
  }),
);
const step: fc.Memo<Step> = fc.memo((depth) =>
  fc.oneof({ weight: 2, arbitrary: fc.constant({ do: "work" } as const) }, block(depth)),
);

/** What a program leaves behind, by a model that knows nothing of databases: failed blocks vanish as a whole. */
function kept(steps: readonly Step[], next: { id: number }): string[] {
  return steps.flatMap((each) => {
    if (each.do === "work") return [(next.id += 1).toString()];
    const inside = kept(each.steps, next);
    return each.fails ? [] : inside;
  });
}

test("TX-05 to TX-07 what a failed block had staged vanishes, all else happens once and in order", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step(4), { maxLength: 6 }), fc.boolean(), async (steps, fails) => {
      const database = fakeDatabase();
      const transactions = createTransactionManager(database);
      const effects: string[] = [];
      const written: string[] = [];
      const undone: string[] = [];
      const write: WriteBatch<string> = (items) => {
        written.push(...items);
        return Promise.resolve();
      };
      let id = 0;

      const execute = async (tx: Transaction<FakeHandle>, program: readonly Step[]): Promise<void> => {
        for (const each of program) {
          if (each.do === "work") {
            const name = (id += 1).toString();
            tx.handle.insert(name);
            tx.afterCommit(() => effects.push(name));
            tx.afterRollback(() => undone.push(name));
            scopeOf(tx).beforeCommit(write, name);
            continue;
          }
          const inside = async (nested: Transaction<FakeHandle>) => {
            await execute(nested, each.steps);
            if (each.fails) throw new Error("planned");
          };
          await (each.do === "run" ? transactions.run(inside) : tx.savepoint(inside)).catch((error: unknown) => {
            if (!(error instanceof Error) || error.message !== "planned") throw error;
          });
        }
      };

      await transactions
        .run(async (tx) => {
          await execute(tx, steps);
          if (fails) throw new Error("planned");
        })
        .catch((error: unknown) => {
          if (!(error instanceof Error) || error.message !== "planned") throw error;
        });

      const expected = fails ? [] : kept(steps, { id: 0 });
      expect(database.rows).toEqual(expected);
      expect(effects).toEqual(expected);
      expect(written).toEqual(expected);
      // Whatever was not kept was undone, once.
      expect([...undone, ...effects].map(Number).sort((a, b) => a - b)).toEqual(
        Array.from({ length: id }, (_, index) => index + 1),
      );
      expect(database.inUse()).toBe(0);
    }),
    { numRuns: 500 },
  );
});
