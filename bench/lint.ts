/**
 * What linting with the plugin costs, beside its peers, on a checkout of a real back end with its packages installed:
 *
 *   npm run bench:lint -- path/to/checkout ["apps/api/src/**\/*.ts" …]
 *
 * Every number is the median of the runs, in CPU seconds of a whole process; the sets take turns, so that a machine that
 * slows down slows all of them. Only the ratios mean anything.
 */
import { execFileSync } from "node:child_process";
import { join, resolve } from "node:path";

const RUNS = Number(process.env["RUNS"] ?? 5);
const SETS = [
  "none",
  "four",
  "family",
  "no-floating-promises",
  "recommendedTypeChecked",
  "recommendedTypeChecked and four",
  "recommendedTypeChecked and family",
  "no types",
  "four without types",
  "family without types",
];

interface Run {
  readonly cpu: number;
  readonly memory: number;
  readonly files: number;
  readonly found: number;
  /** Time inside the rules, as ESLint itself takes it (`TIMING=all` prints the same). */
  readonly rulesMs: number;
}

const [folder, ...patterns] = process.argv.slice(2);
if (folder === undefined) throw new Error("name the folder of a checkout: npm run bench:lint -- path/to/checkout");

const runs = new Map<string, Run[]>(SETS.map((set) => [set, []]));
for (let round = 0; round < RUNS; round++) {
  for (const set of SETS) {
    const printed = execFileSync(
      process.execPath,
      ["--max-old-space-size=6000", join(import.meta.dirname, "lint-once.ts"), resolve(folder), set, ...patterns],
      { encoding: "utf8" },
    );
    runs.get(set)?.push(JSON.parse(printed.trim().split("\n").at(-1) ?? "{}") as Run);
  }
}

const median = (values: readonly number[]) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? NaN;
const of = (set: string, what: keyof Run) => median((runs.get(set) ?? []).map((run) => run[what]));
const percent = (share: number) => `${share >= 0 ? "+" : ""}${(share * 100).toFixed(1)} %`;

console.log(
  `${of("none", "files").toFixed()} files, ${of("family", "found").toFixed()} reports, median of ${RUNS.toFixed()} runs`,
);
for (const set of SETS)
  console.log(
    `${set.padEnd(34)} ${of(set, "cpu").toFixed(1).padStart(7)} CPU s ${of(set, "memory").toFixed(0).padStart(7)} MB`,
  );

const added = (set: string, to: string) => of(set, "cpu") - of(to, "cpu");
const rows: readonly (readonly [what: string, target: string, value: (set: string) => string])[] = [
  ["over parsing and types", "6 %", (set) => percent(added(set, "none") / of("none", "cpu"))],
  [
    "share of what no-floating-promises adds",
    "",
    (set) => percent(added(set, "none") / added("no-floating-promises", "none")),
  ],
  [
    "time inside, against that rule",
    "0.125",
    (set) => (of(set, "rulesMs") / of("no-floating-promises", "rulesMs")).toFixed(3),
  ],
  [
    "beside recommendedTypeChecked",
    "2 %",
    (set) => percent(of(`recommendedTypeChecked and ${set}`, "cpu") / of("recommendedTypeChecked", "cpu") - 1),
  ],
  [
    "memory against no-floating-promises",
    "0 %",
    (set) => percent(of(set, "memory") / of("no-floating-promises", "memory") - 1),
  ],
  [
    "without types, seconds for 500 files",
    "0.3",
    (set) => ((500 * added(`${set} without types`, "no types")) / of("none", "files")).toFixed(2),
  ],
];
console.log(`${"".padEnd(42)}${"the four".padStart(10)}${"family".padStart(10)}  target for the four (family: twice)`);
for (const [what, target, value] of rows)
  console.log(`${what.padEnd(42)}${value("four").padStart(10)}${value("family").padStart(10)}  ${target}`);
