/**
 * Lints every TypeScript and JavaScript file below some folders with all rules and prints those that made a rule throw:
 *
 *   npm run robustness -- path/to/syntax-tests …
 *
 * Meant for the syntax tests of compilers and linters, of which many do not even parse. Ends with 1 when a rule threw.
 */
import { lstatSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { Linter } from "eslint";
import plugin from "eslint-plugin-aftercommit";
import tseslint from "typescript-eslint";

/** Larger files are bundles and tables of characters. */
const LARGEST = 500_000;

export interface Outcome {
  readonly files: number;
  /** Files that the parser refused: no rule ran. */
  readonly unparsed: number;
  readonly throws: readonly { readonly file: string; readonly error: string }[];
}

/** Every file of the languages below a folder. */
export function filesBelow(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((file) => /\.[cm]?[jt]sx?$/.test(file))
    .map((file) => join(folder, file))
    .filter((file) => {
      const stat = lstatSync(file);
      return stat.isFile() && stat.size <= LARGEST;
    });
}

/** Lints files one by one, without types, with all rules. */
export function lintAll(files: readonly string[], progress: (done: number) => void = () => undefined): Outcome {
  const linter = new Linter({ configType: "flat" });
  const config: Linter.Config = {
    files: ["**/*.{ts,tsx,mts,cts,js,jsx,mjs,cjs}"],
    languageOptions: { parser: tseslint.parser, parserOptions: { ecmaFeatures: { jsx: true } } },
    linterOptions: { noInlineConfig: true },
    plugins: { aftercommit: plugin },
    rules: plugin.configs.all.rules ?? {},
  };
  let unparsed = 0;
  const throws: { file: string; error: string }[] = [];
  for (const [done, file] of files.entries()) {
    try {
      const messages = linter.verify(readFileSync(file, "utf8"), config, { filename: file.replace(/^.*[\\/]/, "") });
      if (messages.some((message) => message.fatal)) unparsed++;
    } catch (error) {
      throws.push({ file, error: error instanceof Error ? (error.stack ?? error.message) : String(error) });
    }
    if (done % 1000 === 999) progress(done + 1);
  }
  return { files: files.length, unparsed, throws };
}

if (import.meta.filename === process.argv[1]) {
  const files = process.argv.slice(2).flatMap(filesBelow);
  const outcome = lintAll(files, (done) => {
    console.error(`${done.toString()} of ${files.length.toString()}`);
  });
  for (const { file, error } of outcome.throws) console.log(`${file}\n${error}\n`);
  console.log(
    `${outcome.files.toString()} files, ${outcome.unparsed.toString()} that do not parse, ${outcome.throws.length.toString()} on which a rule threw`,
  );
  process.exitCode = outcome.throws.length > 0 ? 1 : 0;
}
