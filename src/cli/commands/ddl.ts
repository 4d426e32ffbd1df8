import type { Dialect } from "../../databases/database.js";
import { defaultEffectsTable, effectsDdl } from "../../effects/ddl.js";
import { defaultTable as defaultLedgerTable, ledgerDdl } from "../../ledger/ddl.js";
import { defaultLocksTable, locksDdl } from "../../locks/ddl.js";
import { defaultOutboxTable, outboxDdl } from "../../outbox/ddl.js";
import { textOf, UsageError, type Command } from "../command.js";

const dialects: readonly string[] = ["postgres", "mysql", "sqlite"] satisfies Dialect[];

export const ddl: Command = {
  name: "ddl",
  usage: "--dialect postgres|mysql|sqlite [--outbox <table>] [--ledger <table>] [--effects <table>] [--locks <table>]",
  summary: "prints the statements that make the tables",
  details: `Prints the tables of the outbox and the ledger; with --effects also that of createEffects, with --locks that of
databaseLocks.

  --dialect  which SQL: postgres, mysql (also for MariaDB) or sqlite
  --outbox   the name of the outbox's table (default ${defaultOutboxTable})
  --ledger   the name of the ledger's table (default ${defaultLedgerTable})
  --effects  the name of the table of external effects, usually ${defaultEffectsTable} (default: none is printed)
  --locks    the name of the table of locks, usually ${defaultLocksTable} (default: none is printed)`,
  options: {
    dialect: { type: "string" },
    outbox: { type: "string" },
    ledger: { type: "string" },
    effects: { type: "string" },
    locks: { type: "string" },
  },
  run(call) {
    const dialect = textOf(call, "dialect");
    if (!isDialect(dialect)) {
      const given = dialect === undefined ? "--dialect is missing" : `there is no dialect "${dialect}"`;
      throw new UsageError(`${given}; give postgres, mysql (also for MariaDB) or sqlite`);
    }
    const tables = [outboxDdl(dialect, textOf(call, "outbox")), ledgerDdl(dialect, textOf(call, "ledger"))];
    const [effects, locks] = [textOf(call, "effects"), textOf(call, "locks")];
    if (effects !== undefined) tables.push(effectsDdl(dialect, effects));
    if (locks !== undefined) tables.push(locksDdl(dialect, locks));
    const text = tables.join("\n");
    return { text, data: { dialect, sql: text } };
  },
};

function isDialect(value: string | undefined): value is Dialect {
  return value !== undefined && dialects.includes(value);
}
