import { lineOf } from "./analysis/code/node.js";
import { groupsOf, pooledControlIn, type PooledControl } from "./analysis/pooled-sql.js";
import { isTestFile } from "./analysis/test-file.js";
import { createRule } from "./create-rule.js";

type MessageIds = "begin" | "end" | "inside";

/** Reports transaction control that goes through a pool, where each statement may use another connection. */
export const noTransactionOnPool = createRule<MessageIds, []>({
  name: "no-transaction-on-pool",
  description: "disallow `BEGIN`, `COMMIT`, `ROLLBACK`, `SAVEPOINT` and `SET LOCAL` through a connection pool",
  recommended: "recommended",
  schema: [],
  defaultOptions: [],
  messages: {
    begin:
      "`{{word}}` goes through the pool `{{pool}}`, which may send each statement over another connection: what follows runs in no transaction, a rollback takes nothing back, and whoever gets this connection next is inside a transaction that nobody ends.{{others}} Take one connection for all of it: `{{instead}}`.",
    end: "`{{word}}` goes through the pool `{{pool}}`, which may send it over another connection than the statements before it: it ends nobody's transaction, or somebody else's.{{others}} Send it over the connection on which the transaction began: `{{instead}}`.",
    inside:
      "`{{word}}` holds for the transaction of one connection, but goes through the pool `{{pool}}`, which may send the next statement over another one: it has no effect on it.{{others}} Run both over one connection, inside one transaction: `{{instead}}`.",
  },
  check(analysis, report) {
    // a test is alone with its pool
    if (isTestFile(analysis.file.path)) return;
    for (const { first, others } of groupsOf(pooledControlIn(analysis)))
      report({
        node: first.node,
        messageId: messageFor(first),
        data: {
          word: first.word,
          pool: first.pool,
          others: describe(others),
          instead: first.entry.instead ?? "",
        },
      });
  },
});

function messageFor({ word }: PooledControl): MessageIds {
  if (word === "BEGIN" || word === "START TRANSACTION") return "begin";
  return ["COMMIT", "END", "ROLLBACK", "ABORT"].includes(word) ? "end" : "inside";
}

function describe(others: readonly PooledControl[]): string {
  if (others.length === 0) return "";
  const all = others.map(({ word, node }) => `\`${word}\` (line ${String(lineOf(node.file, node.start))})`);
  return ` So ${all.length === 1 ? "does" : "do"} ${all.join(", ")}.`;
}
