import { parseArgs } from "node:util";
import { AftercommitError, ConfigurationError } from "../errors.js";
import { version } from "../version.js";
import { UsageError, type Call, type Command, type ExitCode } from "./command.js";
import { ddl } from "./commands/ddl.js";
import { doctor } from "./commands/doctor.js";
import { outboxDiscard, outboxList, outboxRequeue } from "./commands/outbox.js";
import { effectsPrune, ledgerPrune } from "./commands/prune.js";
import { relay } from "./commands/relay.js";
import { reviewList, reviewResolve } from "./commands/review.js";
import { loadConfig } from "./config.js";
import { told } from "./told.js";

const commands: readonly Command[] = [
  ...[ddl, relay, doctor],
  ...[outboxList, outboxRequeue, outboxDiscard],
  ...[reviewList, reviewResolve],
  ...[ledgerPrune, effectsPrune],
];

const common = {
  json: { type: "boolean" },
  config: { type: "string" },
  help: { type: "boolean", short: "h" },
  version: { type: "boolean", short: "v" },
} as const;

const commonDetails = `  --json     answers in JSON on standard output
  --config   the project's file (default: aftercommit.config.js, .mjs or .ts in this folder)
  --help     prints this

Exit codes: 0 done, 1 it failed or the doctor found something, 2 wrong usage or configuration (nothing was done).
`;

const help = `Usage: aftercommit <command> [options]

${commands.map(({ name, summary }) => `  ${name.padEnd(15)} ${summary}`).join("\n")}

Options of every command:
${commonDetails}  --version  prints the version

aftercommit <command> --help says what a command takes.
`;

interface Surroundings {
  readonly out: (text: string) => void;
  readonly err: (text: string) => void;
  /** Where the project's file is. */
  readonly folder: string;
  /** Aborts when the process is asked to end. */
  readonly signal: AbortSignal;
}

/** Arguments that were understood. */
export interface Understood {
  /** None for what is about the whole program. */
  readonly command: Command | undefined;
  readonly values: Readonly<Record<string, string | boolean | undefined>>;
  readonly positionals: readonly string[];
}

/** Runs the command with these arguments. Never rejects. */
export async function run(args: readonly string[], surroundings: Surroundings): Promise<ExitCode> {
  const { out, err } = surroundings;
  try {
    const { command, values, positionals } = understand(args);
    if (values["version"] === true) out(`${version}\n`);
    else if (command === undefined) out(help);
    else if (values["help"] === true) out(helpOf(command));
    else {
      const config = values["config"];
      const call: Call = {
        values,
        positionals,
        signal: surroundings.signal,
        config: () => loadConfig(surroundings.folder, typeof config === "string" ? config : undefined),
        progress: (text) => {
          err(`${text}\n`);
        },
      };
      const { text, data, exitCode = 0 } = await command.run(call);
      out(values["json"] === true ? `${JSON.stringify(data)}\n` : text);
      return exitCode;
    }
    return 0;
  } catch (error) {
    const misused = error instanceof UsageError;
    const code = error instanceof AftercommitError ? error.code : misused ? "USAGE" : "FAILED";
    const text = told(error);
    const line = `aftercommit: ${text}\n${misused ? "Try: aftercommit --help\n" : ""}`;
    err(args.includes("--json") ? `${JSON.stringify({ error: { code, message: text } })}\n` : line);
    return misused || error instanceof ConfigurationError ? 2 : 1;
  }
}

/** @throws UsageError */
export function understand(args: readonly string[]): Understood {
  const firstOption = args.findIndex((word) => word.startsWith("-"));
  const words = firstOption === -1 ? args : args.slice(0, firstOption);
  const command = commands.find(({ name }) => name === words.slice(0, name.split(" ").length).join(" "));
  const given = parsed(args, command);
  if (given.values["version"] === true || (command === undefined && given.values["help"] === true)) {
    return { command: undefined, ...given };
  }
  const names = commands.map(({ name }) => name).join(", ");
  if (command === undefined) {
    const wrong = words.length === 0 ? "no command was given" : `there is no command "${words.join(" ")}"`;
    throw new UsageError(`${wrong}; there are ${names}`);
  }
  const positionals = given.positionals.slice(command.name.split(" ").length);
  if (positionals.length > 0 && !command.usage.startsWith("<")) {
    throw new UsageError(`"${positionals.join(" ")}" is one word too many`);
  }
  return { command, values: given.values, positionals };
}

function parsed(args: readonly string[], command: Command | undefined): Omit<Understood, "command"> {
  try {
    const { values, positionals } = parseArgs({
      args: [...args],
      allowPositionals: true,
      options: { ...common, ...command?.options },
      strict: command !== undefined,
    });
    return { values, positionals };
  } catch (error) {
    throw new UsageError(told(error));
  }
}

function helpOf({ name, usage, summary, details }: Command): string {
  return `Usage: aftercommit ${`${name} ${usage}`.trim()}\n\n${name} ${summary}.\n\n${details}\n${commonDetails}`;
}
