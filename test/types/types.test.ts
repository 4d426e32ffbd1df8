/** Wrong programs must not compile, and the compiler must say the intended sentence, with each supported TypeScript. */
import { execFile } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { beforeAll, describe, expect, test } from "vitest";

const folder = join(import.meta.dirname, "wrong");
const root = join(import.meta.dirname, "../..");
const mark = "// ✗ ";

interface Complaint {
  readonly file: string;
  readonly line: number;
  readonly text: string;
}

/** What a comment expects of the line below it. */
const expected: readonly Complaint[] = readdirSync(folder)
  .filter((file) => file.endsWith(".ts"))
  .flatMap((file) =>
    readFileSync(join(folder, file), "utf8")
      .split("\n")
      .flatMap((text, index) => {
        const start = text.indexOf(mark);
        return start < 0 ? [] : [{ file, line: index + 2, text: text.slice(start + mark.length) }];
      }),
  );

async function compile(typescript: string): Promise<readonly Complaint[]> {
  const compiler = join(root, "node_modules", typescript, "bin/tsc");
  const output = await promisify(execFile)(process.execPath, [compiler, "-p", folder, "--pretty", "false"]).then(
    () => "",
    (error: unknown) => (error as { stdout: string }).stdout,
  );
  // What is indented belongs to the complaint above it.
  return output.split(/\n(?! )/).flatMap((text) => {
    const found = /([^/\\]+\.ts)\((\d+),\d+\): error TS\d+: ([\s\S]*)/.exec(text);
    return found === null ? [] : [{ file: found[1] ?? "", line: Number(found[2]), text: found[3] ?? "" }];
  });
}

describe.each(["typescript59", "typescript", "typescript7"])("%s", (typescript) => {
  let complaints: readonly Complaint[];

  beforeAll(async () => {
    complaints = await compile(typescript);
  });

  test.each(expected)("$file, line $line: $text", ({ file, line, text }) => {
    const here = complaints.filter((complaint) => complaint.file === file && complaint.line === line);
    expect(here.map((complaint) => complaint.text).join("\n")).toContain(text);
  });

  test("complains of nothing else", () => {
    const places = new Set(expected.map(({ file, line }) => `${file}:${line.toString()}`));
    expect(complaints.filter(({ file, line }) => !places.has(`${file}:${line.toString()}`))).toEqual([]);
  });
});
