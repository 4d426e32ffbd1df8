import type { JobId } from "../../job-id.js";
import type { Outbox } from "../../outbox/outbox.js";
import type { OutboxRow, RowState } from "../../outbox/outbox-row.js";
import { numberOf, textOf, UsageError, type Call, type Command } from "../command.js";
import { outboxOf } from "../config.js";

const states: readonly string[] = ["waiting", "dispatched", "failed"] satisfies RowState[];

export const outboxList: Command = {
  name: "outbox list",
  usage: "[--state failed|waiting|dispatched] [--queue <name>] [--limit <number>]",
  summary: "lists rows of the outbox",
  details: `  --state  failed (given up, the default), waiting or dispatched
  --queue  only those of one queue
  --limit  how many at most (default 100)`,
  options: { state: { type: "string" }, queue: { type: "string" }, limit: { type: "string" } },
  async run(call) {
    const rows = await listed(outboxOf(await call.config()), call, numberOf(call, "limit"));
    return { text: rows.length === 0 ? "none\n" : rows.map(lineOf).join(""), data: rows };
  },
};

export const outboxRequeue: Command = {
  name: "outbox requeue",
  usage: "<id>… | --failed [--queue <name>]",
  summary: "lets rows be sent again; attempts are counted anew",
  details: `  --failed  all that were given up, instead of ids
  --queue   with --failed: only those of one queue`,
  options: { failed: { type: "boolean" }, queue: { type: "string" } },
  run: (call) => change(call, "requeued", (outbox, ids) => outbox.requeue(ids)),
};

export const outboxDiscard: Command = {
  name: "outbox discard",
  usage: "<id>… | --failed [--queue <name>]",
  summary: "deletes rows that were not dispatched: their jobs never run",
  details: `  --failed  all that were given up, instead of ids
  --queue   with --failed: only those of one queue`,
  options: { failed: { type: "boolean" }, queue: { type: "string" } },
  run: (call) => change(call, "discarded", (outbox, ids) => outbox.discard(ids)),
};

/** As many as one statement takes easily. */
const batch = 1000;

async function change(call: Call, done: string, act: (outbox: Outbox, ids: readonly JobId[]) => Promise<number>) {
  const all = call.values["failed"] === true;
  if (all === call.positionals.length > 0) throw new UsageError("give the ids of rows, or --failed for all given up");
  const outbox = outboxOf(await call.config());
  let count = 0;
  if (!all) count = await act(outbox, call.positionals as readonly JobId[]);
  else {
    while (!call.signal.aborted) {
      const rows = await listed(outbox, call, batch);
      const changed =
        rows.length === 0
          ? 0
          : await act(
              outbox,
              rows.map(({ id }) => id),
            );
      if (changed === 0) break;
      count += changed;
      call.progress(`${count} ${done}`);
    }
  }
  return { text: `${count} ${done}\n`, data: { [done]: count } };
}

function listed(outbox: Outbox, call: Call, limit: number | undefined): Promise<OutboxRow[]> {
  const state = textOf(call, "state") ?? "failed";
  if (!isState(state)) throw new UsageError(`there is no state "${state}"; give ${states.join(", ")}`);
  const queue = textOf(call, "queue");
  return outbox.list({
    state,
    ...(queue === undefined ? {} : { queue }),
    ...(limit === undefined ? {} : { limit }),
  });
}

function isState(value: string): value is RowState {
  return states.includes(value);
}

function lineOf({ id, queue, createdAt, attempts, lastError }: OutboxRow): string {
  const error = lastError === undefined ? "" : `  ${lastError.replace(/\s+/g, " ")}`;
  return `${id}  ${queue}  ${createdAt.toISOString()}  ${attempts} attempts${error}\n`;
}
