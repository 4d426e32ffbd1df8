import { relative, resolve } from "node:path";
import { parseArgs } from "node:util";

import { Explainer } from "../explain/explain-file.js";
import { written } from "../explain/write.js";

const help = `Usage: eslint-plugin-aftercommit explain [--json] <file>…

Prints what the plugin believes of files: where transactions are open, what is dispatched or has another effect and when
it runs, which functions handle jobs, and how long their leases are. So it shows why a line was reported, or was not.

Options:
  --json  print it as JSON, an array with an element a file
  --help  print this

Exit codes: 0 done, 2 wrong usage, or a file that cannot be read (nothing was printed to standard output).
`;

interface Streams {
  readonly out: (text: string) => void;
  readonly err: (text: string) => void;
}

/** Runs the command with these arguments in a folder. @returns the exit code */
export async function run(args: readonly string[], cwd: string, { out, err }: Streams): Promise<0 | 2> {
  try {
    out(await answerTo(args, cwd));
    return 0;
  } catch (error) {
    err(
      `eslint-plugin-aftercommit: ${error instanceof Error ? error.message : String(error)}\nTry: eslint-plugin-aftercommit --help\n`,
    );
    return 2;
  }
}

async function answerTo(args: readonly string[], cwd: string): Promise<string> {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: { json: { type: "boolean" }, help: { type: "boolean", short: "h" } },
  });
  if (values.help === true) return help;
  const [command, ...files] = positionals;
  if (command === undefined) throw new Error("no command was given; there is one: explain");
  if (command !== "explain") throw new Error(`there is no command "${command}"; there is one: explain`);
  if (files.length === 0) throw new Error("no file was given");
  const explainer = new Explainer(cwd);
  const explained = [];
  for (const file of files) {
    const explanation = await explainer.explain(resolve(cwd, file));
    explained.push({ ...explanation, file: relative(cwd, explanation.file) || file });
  }
  return values.json === true ? `${JSON.stringify(explained, null, 2)}\n` : explained.map(written).join("\n");
}
