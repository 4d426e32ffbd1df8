import type { PruneOptions } from "../../ledger/retention.js";
import { numberOf, UsageError, type Command } from "../command.js";
import { effectsOf, ledgerOf, type AftercommitConfig } from "../config.js";

/** What has records to prune. */
interface Prunable {
  prune(options: PruneOptions): Promise<number>;
}

export const ledgerPrune = pruneCommand("ledger", "old records", ledgerOf);
export const effectsPrune = pruneCommand("effects", "old records of operations that are done or refused", effectsOf);

function pruneCommand(what: string, records: string, of: (config: AftercommitConfig) => Prunable): Command {
  return {
    name: `${what} prune`,
    usage: "--resent-within <seconds> [--older-than <seconds>]",
    summary: `deletes ${records}, in batches, unless a duplicate of them can still arrive`,
    details: `The project's file must name the \`queues\` whose jobs use the ${what}: their tries, leases and waits are counted in.

  --resent-within  for how many seconds the same operation can be asked for again from outside
  --older-than     the least age of what is deleted, in seconds (default: the retention of the ${what})`,
    options: { "resent-within": { type: "string" }, "older-than": { type: "string" } },
    async run(call) {
      const resentWithin = numberOf(call, "resent-within");
      const olderThan = numberOf(call, "older-than");
      if (resentWithin === undefined) throw new UsageError("--resent-within is missing; give seconds, 0 for never");
      const config = await call.config();
      const deleted = await of(config).prune({
        queues: config.queues ?? [],
        resentWithin,
        signal: call.signal,
        onProgress: (count) => {
          call.progress(`${count} deleted`);
        },
        ...(olderThan === undefined ? {} : { olderThan }),
      });
      return { text: `${deleted} deleted\n`, data: { deleted } };
    },
  };
}
