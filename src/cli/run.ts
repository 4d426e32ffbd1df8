import { parseArgs } from "node:util";
import type { Dialect } from "../databases/database.js";
import { messageOf } from "../errors.js";
import { defaultTable as defaultLedgerTable, ledgerDdl } from "../ledger/ddl.js";
import { defaultLocksTable, locksDdl } from "../locks/ddl.js";
import { defaultOutboxTable, outboxDdl } from "../outbox/ddl.js";

const help = `Usage: aftercommit ddl --dialect postgres|mysql|sqlite [--outbox <table>] [--ledger <table>] [--locks <table>]

Prints the statements that make the tables of the outbox and the ledger; with --locks also that of databaseLocks. Use
mysql for MariaDB, too.

Options:
  --dialect  which SQL: postgres, mysql or sqlite
  --outbox   the name of the outbox's table (default ${defaultOutboxTable})
  --ledger   the name of the ledger's table (default ${defaultLedgerTable})
  --locks    the name of the table of locks, usually ${defaultLocksTable} (default: none is printed)
  --help     print this

Exit codes: 0 done, 2 wrong usage (nothing was printed to standard output).
`;

const dialects: readonly string[] = ["postgres", "mysql", "sqlite"] satisfies Dialect[];

interface Streams {
  readonly out: (text: string) => void;
  readonly err: (text: string) => void;
}

/** Runs the command with these arguments. @returns the exit code */
export function run(args: readonly string[], { out, err }: Streams): 0 | 2 {
  try {
    out(answerTo(args));
    return 0;
  } catch (error) {
    err(`aftercommit: ${messageOf(error)}\nTry: aftercommit --help\n`);
    return 2;
  }
}

function answerTo(args: readonly string[]): string {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      dialect: { type: "string" },
      outbox: { type: "string", default: defaultOutboxTable },
      ledger: { type: "string", default: defaultLedgerTable },
      locks: { type: "string" },
      help: { type: "boolean", short: "h" },
    },
  });
  if (values.help === true) return help;
  const [command, ...others] = positionals;
  if (command === undefined) throw new Error("no command was given; there is one: ddl");
  if (command !== "ddl") throw new Error(`there is no command "${command}"; there is one: ddl`);
  if (others.length > 0) throw new Error(`"${others.join(" ")}" is one word too many`);
  const { dialect, outbox, ledger, locks } = values;
  if (!isDialect(dialect)) {
    const given = dialect === undefined ? "--dialect is missing" : `there is no dialect "${dialect}"`;
    throw new Error(`${given}; give postgres, mysql (also for MariaDB) or sqlite`);
  }
  const tables = [outboxDdl(dialect, outbox), ledgerDdl(dialect, ledger)];
  if (locks !== undefined) tables.push(locksDdl(dialect, locks));
  return tables.join("\n");
}

function isDialect(value: string | undefined): value is Dialect {
  return value !== undefined && dialects.includes(value);
}
