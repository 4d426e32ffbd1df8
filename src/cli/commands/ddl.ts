import type { Dialect } from "../../databases/database.js";
import { defaultEffectsTable, effectsDdl } from "../../effects/ddl.js";
import { defaultTable as defaultLedgerTable, ledgerDdl } from "../../ledger/ddl.js";
import { defaultLocksTable, locksDdl } from "../../locks/ddl.js";
import { defaultOutboxTable, outboxDdl } from "../../outbox/ddl.js";
import { textOf, UsageError, type Command } from "../command.js";
import { drizzleMigration, knexMigration, typeormMigration } from "../migrations.js";
import { prismaModels } from "../prisma-models.js";

const dialects: readonly string[] = ["postgres", "mysql", "sqlite"] satisfies Dialect[];

/** What the text is made into for a library. */
const forms: Readonly<Record<string, (dialect: Dialect, sql: string) => string>> = {
  prisma: prismaModels,
  drizzle: (_, sql) => drizzleMigration(sql),
  knex: (_, sql) => knexMigration(sql),
  typeorm: (_, sql) => typeormMigration(sql),
};

export const ddl: Command = {
  name: "ddl",
  usage:
    "--dialect postgres|mysql|sqlite [--for prisma|drizzle|knex|typeorm] [--outbox <table>] [--ledger <table>] " +
    "[--effects <table>] [--locks <table>]",
  summary: "prints the statements that make the tables",
  details: `Prints the tables of the outbox and the ledger; with --effects also that of createEffects, with --locks that of
databaseLocks.

  --dialect  which SQL: postgres, mysql (also for MariaDB) or sqlite
  --for      as a migration of knex, typeorm or drizzle, or as models of prisma, instead of SQL
  --outbox   the name of the outbox's table (default ${defaultOutboxTable})
  --ledger   the name of the ledger's table (default ${defaultLedgerTable})
  --effects  the name of the table of external effects, usually ${defaultEffectsTable} (default: none is printed)
  --locks    the name of the table of locks, usually ${defaultLocksTable} (default: none is printed)`,
  options: {
    dialect: { type: "string" },
    for: { type: "string" },
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
    const sql = tables.join("\n");
    const library = textOf(call, "for");
    if (library === undefined) return { text: sql, data: { dialect, sql } };
    const form = Object.hasOwn(forms, library) ? forms[library] : undefined;
    if (form === undefined) {
      throw new UsageError(
        `nothing is printed for "${library}"; give ${Object.keys(forms).join(", ")}, or leave --for out`,
      );
    }
    const text = form(dialect, sql);
    return { text, data: { dialect, for: library, text } };
  },
};

function isDialect(value: string | undefined): value is Dialect {
  return value !== undefined && dialects.includes(value);
}
