import { numberOf, UsageError, type Command } from "../command.js";
import { ledgerOf } from "../config.js";

export const ledgerPrune: Command = {
  name: "ledger prune",
  usage: "--resent-within <seconds> [--older-than <seconds>]",
  summary: "deletes old records, in batches, unless a duplicate of them can still arrive",
  details: `The project's file must name the \`queues\` whose jobs use the ledger: their tries, leases and waits are counted in.

  --resent-within  for how many seconds the same operation can be asked for again from outside
  --older-than     the least age of what is deleted, in seconds (default: the ledger's retention)`,
  options: { "resent-within": { type: "string" }, "older-than": { type: "string" } },
  async run(call) {
    const resentWithin = numberOf(call, "resent-within");
    const olderThan = numberOf(call, "older-than");
    if (resentWithin === undefined) throw new UsageError("--resent-within is missing; give seconds, 0 for never");
    const config = await call.config();
    const deleted = await ledgerOf(config).prune({
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
