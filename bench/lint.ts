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
  "ours",
  "no-floating-promises",
  "recommendedTypeChecked",
  "recommendedTypeChecked and ours",
  "no types",
  "ours without types",
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
  `${of("none", "files").toFixed()} files, ${of("ours", "found").toFixed()} reports, median of ${RUNS.toFixed()} runs`,
);
for (const set of SETS)
  console.log(
    `${set.padEnd(34)} ${of(set, "cpu").toFixed(1).padStart(7)} CPU s ${of(set, "memory").toFixed(0).padStart(7)} MB`,
  );
console.log(
  `all our rules over parsing and types            ${percent(of("ours", "cpu") / of("none", "cpu") - 1)}   (target ≤ +6 %)`,
);
console.log(
  `share of what no-floating-promises adds         ${percent((of("ours", "cpu") - of("none", "cpu")) / (of("no-floating-promises", "cpu") - of("none", "cpu")))}`,
);
console.log(
  `time inside the rules against that rule         ${(of("ours", "rulesMs") / of("no-floating-promises", "rulesMs")).toFixed(2)}   (target ≤ 0.13)`,
);
console.log(
  `beside recommendedTypeChecked                   ${percent(of("recommendedTypeChecked and ours", "cpu") / of("recommendedTypeChecked", "cpu") - 1)}   (target ≤ +2 %)`,
);
console.log(
  `memory against no-floating-promises             ${percent(of("ours", "memory") / of("no-floating-promises", "memory") - 1)}   (target ≤ 0 %)`,
);
console.log(
  `without types, a file                           ${((1000 * (of("ours without types", "cpu") - of("no types", "cpu"))) / of("none", "files")).toFixed(2)} ms`,
);
