import type { Database } from "../../databases/database.js";
import type { Seconds } from "../../duration.js";
import { insideOfEffects } from "../../effects/effects.js";
import { ConfigurationError } from "../../errors.js";
import { insideOfLedger } from "../../ledger/ledger.js";
import { checkedAge } from "../../ledger/retention.js";
import { insideOf } from "../../outbox/outbox.js";
import { definitionOf, type Queue } from "../../queue.js";
import type { QueuePolicy, Queues } from "../../queues/queues.js";
import type { Command } from "../command.js";
import type { AftercommitConfig } from "../config.js";
import { told } from "../told.js";

interface Finding {
  readonly check: string;
  readonly ok: boolean;
  readonly detail: string;
}

/** Clocks that differ by more do not keep time with each other at all. */
const mostClockDifference: Seconds = 5;

export const doctor: Command = {
  name: "doctor",
  usage: "",
  summary: "looks whether tables, database and queues are set up right",
  details: `Tables and their keys; the database's isolation, durability and clock; each queue's lease against its timeout; the
retention of ledger and effects against redelivery. Exit code 1 when something is wrong.`,
  options: {},
  async run(call) {
    const findings: Finding[] = [];
    for (const [check, look] of checksOf(await call.config())) {
      call.progress(check);
      try {
        findings.push({ check, ok: true, detail: await look() });
      } catch (error) {
        findings.push({ check, ok: false, detail: told(error) });
      }
    }
    const text = findings.map(({ check, ok, detail }) => `${ok ? "ok     " : "WRONG  "}${check}: ${detail}\n`).join("");
    return { text, data: findings, exitCode: findings.every(({ ok }) => ok) ? 0 : 1 };
  },
};

type Check = readonly [name: string, look: () => Promise<string> | string];

function checksOf({ outbox, ledger, effects, queues = [] }: AftercommitConfig): Check[] {
  const checks: Check[] = [];
  const databases = new Set<Database>();
  const policies = new Map<QueuePolicy, Queues>();
  if (outbox !== undefined) {
    const { database, onQueue } = insideOf(outbox);
    databases.add(database);
    onQueue((destination) => policies.set(destination.policy, destination.queues))();
    checks.push(["table of the outbox", () => outbox.verify().then(() => "right")]);
  }
  for (const queue of queues) {
    const definition = definitionOf(queue);
    policies.set(definition.policy, definition.queues);
  }
  const keepers = [
    ["ledger", ledger, ledger && insideOfLedger(ledger)],
    ["effects", effects, effects && insideOfEffects(effects)],
  ] as const;
  for (const [what, keeper, inside] of keepers) {
    if (keeper === undefined || inside === undefined) continue;
    const { database, retention } = inside;
    databases.add(database);
    checks.push([`table of the ${what}`, () => keeper.verify().then(() => "right")]);
    checks.push([`retention of the ${what}`, () => retentionOf(retention, queues)]);
  }
  for (const database of databases) checks.push(...databaseChecks(database));
  for (const [policy, adapter] of policies) {
    checks.push([`lease of queue "${policy.name}"`, () => leaseOf(policy, adapter)]);
  }
  if (checks.length === 0) throw new ConfigurationError("aftercommit.config exports nothing to look at.");
  return checks;
}

function retentionOf(retention: Seconds | undefined, queues: readonly Queue[]): string {
  if (retention === undefined) return "keeps its records for ever";
  return `${checkedAge(retention, { queues, resentWithin: 0 }, "It keeps its records")} s, above the longest redelivery`;
}

async function leaseOf(policy: QueuePolicy, queues: Queues): Promise<string> {
  const lease = await queues.effectiveLease(policy);
  if (lease > policy.timeout) return `${lease} s, above the timeout of ${policy.timeout} s`;
  throw new ConfigurationError(
    `${lease} s, not above the timeout of ${policy.timeout} s: a job that runs longer is given to a second worker while ` +
      "the first still runs.",
  );
}

function databaseChecks(database: Database): Check[] {
  const one = async (text: string) => Object.values((await database.query(text)).rows[0] ?? {}).at(-1);
  const clock: Check = [
    "clock of the database",
    async () => {
      const sent = Date.now();
      const value = Number(await one(clocks[database.dialect]));
      const difference = value - (sent + Date.now()) / 2000;
      const said = `${Math.abs(difference).toFixed(1)} s ${difference < 0 ? "behind" : "ahead of"} this machine`;
      if (Math.abs(difference) <= mostClockDifference) return said;
      throw new ConfigurationError(`${said}. Retention goes by the database's clock; set both by NTP.`);
    },
  ];
  const settings = (database.dialect === "sqlite" ? [] : durability[database.dialect]).map(
    ({ check, text, right, wrong }): Check => [
      check,
      async () => {
        const value = String(await one(text)).toLowerCase();
        if (right(value)) return value;
        throw new ConfigurationError(`${value}. ${wrong}`);
      },
    ],
  );
  return [clock, ...settings];
}

const clocks = {
  postgres: "SELECT extract(epoch FROM clock_timestamp())::double precision AS value",
  mysql: "SELECT timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(6)) / 1000000 AS value",
  sqlite: "SELECT unixepoch('subsec') AS value",
};

const isolation = {
  right: (value: string) => value.replaceAll("-", " ") !== "read uncommitted",
  wrong: "Reads see what may be rolled back. Use read committed or higher.",
};
const durability = {
  postgres: [
    {
      check: "default isolation",
      text: "SELECT current_setting('default_transaction_isolation') AS value",
      ...isolation,
    },
    {
      check: "synchronous_commit",
      text: "SELECT current_setting('synchronous_commit') AS value",
      right: (value: string) => value !== "off",
      wrong: "A crash of the server loses transactions that it has confirmed, with their jobs.",
    },
  ],
  mysql: [
    {
      check: "default isolation",
      text: "SHOW VARIABLES WHERE variable_name IN ('transaction_isolation', 'tx_isolation')",
      ...isolation,
    },
    {
      check: "innodb_flush_log_at_trx_commit",
      text: "SELECT @@innodb_flush_log_at_trx_commit AS value",
      right: (value: string) => value === "1",
      wrong: "A crash of the server loses transactions that it has confirmed, with their jobs. Set it to 1.",
    },
  ],
};
