/**
 * What the runtime costs, beside other libraries that do the same work, in one run on the same servers. Every form of a
 * table takes its turn in every round; ratios are medians of the ratios within a round.
 *
 *   npm run bench:runtime
 *
 * DATABASE_URL (default postgres://postgres@127.0.0.1/test), REDIS_HOST, REDIS_PORT; RUNS (5), SECONDS (0.5) a
 * measurement of a rate, JOBS (20000) to drain, SAMPLES (40) of a latency in each round; ONLY=enqueue,drain,latency,
 * context,ledger for some of the tables. ONLY=backlog for one more, which takes minutes and some gigabytes of disk: BACKLOG
 * (1000000) rows that wait beside ten times as many that were dispatched. It works in schemas of its own and under a prefix of its own, and drops them.
 */
import { cpus, loadavg } from "node:os";
import { measureBacklog } from "./runtime/backlog.ts";
import { measureContext } from "./runtime/context.ts";
import { measureDrain } from "./runtime/drain.ts";
import { measureEnqueue } from "./runtime/enqueue.ts";
import { measureLatency } from "./runtime/latency.ts";
import { openBoss, openGraphile } from "./runtime/peers.ts";
import { openStand } from "./runtime/stand.ts";

const number = (name: string, otherwise: number) => Number(process.env[name] ?? otherwise);
const runs = number("RUNS", 5);
const wanted = process.env["ONLY"]?.split(",");
const isWanted = (table: string) => wanted === undefined || wanted.includes(table);
const load = () =>
  loadavg()
    .map((each) => each.toFixed(1))
    .join(" ");

console.log(`Node ${process.version}, ${cpus().length} processors, load ${load()}; ${runs} rounds`);
const stand = await openStand();
const [graphile, boss] = await Promise.all([openGraphile(stand), openBoss(stand)]);
const peers = { graphile, boss };
try {
  if (isWanted("enqueue")) await measureEnqueue(stand, peers, runs, number("SECONDS", 0.5));
  // What was only enqueued is in the way of those that drain.
  await graphile.empty();
  await boss.boss.deleteAllJobs("ship");
  if (isWanted("latency")) await measureLatency(stand, peers, runs, number("SAMPLES", 40));
  if (isWanted("drain")) await measureDrain(stand, peers, runs, number("JOBS", 20_000));
  if (isWanted("context")) await measureContext(runs);
  if (wanted?.includes("backlog") === true) {
    const waiting = number("BACKLOG", 1_000_000);
    // Each round takes some of the backlog away: half of it at most, in all.
    const jobs = Math.min(number("JOBS", 20_000), Math.floor(waiting / (2 * (runs + 1))));
    await measureBacklog(stand, runs, { waiting, done: waiting * 10, jobs });
  }
} finally {
  await boss.stop();
  await stand.close();
}
if (isWanted("ledger")) {
  console.log("\nledger.once around one UPDATE; targets: a function ≥ 0.97, a statement ≥ 1.5, a duplicate ≥ 1.7");
  await import("./ledger.ts");
}
console.log(`\nload ${load()}`);
