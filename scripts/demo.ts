/**
 * Shows the product on one screen: what the linter says of the wrong programs of examples/, and what these and the right
 * ones do when jobs are delivered twice and processes are killed at the worst moments. Everything in it is measured.
 *
 * With `--check` it fails when the README shows another screen; `--write` puts this one there.
 */
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { stripVTControlCharacters, styleText } from "node:util";
import { ESLint, type Linter } from "eslint";
import { programs } from "./demo/programs.ts";
import { moments, Trial, type Measured } from "./demo/trial.ts";

const examples = join(import.meta.dirname, "../examples");
const bold = (text: string) => styleText("bold", text);
const width = 100;
let screen = "";

function say(text: string): void {
  console.log(text);
  screen += `${stripVTControlCharacters(text)}\n`;
}

/** The text in lines of at most `width` characters. */
function wrapped(text: string, indent: string): string {
  const lines = [indent];
  for (const word of text.split(" ")) {
    const last = lines.at(-1) ?? "";
    if (last === indent) lines[lines.length - 1] = indent + word;
    else if (`${last} ${word}`.length > width) lines.push(indent + word);
    else lines[lines.length - 1] = `${last} ${word}`;
  }
  return lines.join("\n");
}

interface Report {
  readonly place: string;
  readonly message: Linter.LintMessage;
}

async function reportsOn(version: "wrong" | "right"): Promise<{ reports: Report[]; files: number }> {
  const folders = readdirSync(examples).filter((name) => existsSync(join(examples, name, version)));
  const results = await new ESLint({ cwd: examples }).lintFiles(folders.map((name) => `${name}/${version}`));
  const reports = results.flatMap(({ filePath, messages }) =>
    messages.map((message) => ({ place: `${relative(examples, filePath)}:${message.line.toString()}`, message })),
  );
  return { reports, files: results.length };
}

async function lint(): Promise<void> {
  const [wrong, right] = [await reportsOn("wrong"), await reportsOn("right")];
  say(bold("eslint says of examples/*/wrong (the whole text: cd examples && npx eslint .)"));
  for (const { place, message } of wrong.reports) {
    say(`  ${place.padEnd(46)} ${message.ruleId?.replace("aftercommit/", "") ?? message.message}`);
  }
  const [first] = wrong.reports;
  if (first !== undefined) say(wrapped(`The first: ${first.message.message}`, "    "));
  say(
    `eslint says of examples/*/right: ${right.reports.length.toString()} errors in ${right.files.toString()} files\n`,
  );
}

const versions = ["wrong", "right"] as const;

async function measure(): Promise<Map<string, Measured>> {
  const folder = mkdtempSync(join(tmpdir(), "aftercommit-demo-"));
  const trials = programs.flatMap((program) => versions.map((version) => new Trial(program, version, folder)));
  const remove = () => {
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  };
  for (const signal of ["SIGINT", "SIGTERM"] as const) {
    process.once(signal, () => {
      void Promise.all(trials.map((trial) => trial.end())).then(() => {
        remove();
        process.exit(1);
      });
    });
  }
  try {
    const runs = trials.map(async (trial) => [`${trial.program.name} ${trial.version}`, await trial.run()] as const);
    await Promise.allSettled(runs);
    return new Map(await Promise.all(runs));
  } finally {
    remove();
  }
}

const columns = ["committed", "deliveries", "effects", "lost", "double", "ghosts"] as const;

function show(measured: ReadonlyMap<string, Measured>): void {
  const row = (start: string, cells: readonly string[]) =>
    `  ${start.padEnd(45)}${cells.map((cell, index) => cell.padStart((columns[index]?.length ?? 0) + 2)).join("")}`;
  say(bold(row("run with duplicates and kill -9", columns)));
  for (const { name, title } of programs) {
    for (const version of versions) {
      const counts = measured.get(`${name} ${version}`);
      if (counts === undefined) continue;
      const start = version === "wrong" ? title.padEnd(40) : "".padEnd(40);
      say(
        row(
          `${start}${version}`,
          columns.map((column) => counts[column].toString()),
        ),
      );
    }
  }
}

const sumOf = (measured: ReadonlyMap<string, Measured>, version: string, column: (typeof columns)[number]) =>
  [...measured].reduce((sum, [name, counts]) => sum + (name.endsWith(version) ? counts[column] : 0), 0);

await lint();
const measured = await measure();
show(measured);

const wrong = (column: (typeof columns)[number]) => sumOf(measured, "wrong", column).toString();
const right = (column: (typeof columns)[number]) => sumOf(measured, "right", column);
const harm = right("lost") + right("double") + right("ghosts");
say(
  wrapped(
    `Of ${wrong("committed")} committed operations the wrong programs lost ${wrong("lost")} and made ${wrong("double")} ` +
      `effects too many; ${wrong("ghosts")} more were ghosts: effects of operations that were never committed. The ` +
      `right programs went through the same moments: ${right("committed").toString()} operations committed, ` +
      `${right("deliveries").toString()} deliveries, ${right("effects").toString()} effects; ` +
      `${harm === 0 ? "nothing" : harm.toString()} lost, double or a ghost.`,
    "",
  ),
);
say(wrapped(`The moments: ${moments.map(({ what }) => what).join("; ")}.`, ""));

// The reports on wrong programs are the point of this; harm done by the right ones is not.
if (harm > 0) process.exitCode = 1;

const readme = join(import.meta.dirname, "../README.md");
const page = readFileSync(readme, "utf8");
const shown = page.replace(
  /(<!-- demo -->\n\n```\n).*?(```\n)/s,
  (_, start: string, end: string) => start + screen + end,
);
if (process.argv.includes("--write")) writeFileSync(readme, shown);
else if (process.argv.includes("--check") && shown !== page) {
  console.error("README.md shows another screen. Run: npm run demo -- --write");
  process.exitCode = 1;
}
