import type { ExplainedFile } from "./explain-file.js";
import type { ExplainedCall, ExplainedDuration, ExplainedTransaction } from "./explanation.js";

/** An explanation for people. */
export function written({ file, types, transactions, calls, handlers, leases }: ExplainedFile): string {
  const seen =
    types.from === "project"
      ? "read with the types of the project"
      : `read alone, without types (${types.because}): what other files do is not known`;
  return [
    `${file}: ${seen}`,
    ...section(
      "Transactions",
      transactions.map((transaction) => [linesOf(transaction), sentenceOf(transaction)]),
    ),
    ...section(
      "Dispatches and other effects",
      calls.map((call) => [String(call.line), `${call.call} ${standing(call)}`]),
    ),
    ...section(
      "Job handlers",
      handlers.map(({ line, name, library }) => [String(line), `${name ?? "function"}, of ${library}`]),
    ),
    ...section(
      "Leases",
      leases.map(({ line, library, as, timeout, lease }) => [
        String(line),
        `${library}: ${as === "limit" ? "the handler may take" : as === "renewal" ? "renewed every" : "one limit is"} ${duration(timeout)}; the lease is ${duration(lease)}`,
      ]),
    ),
    "",
  ].join("\n");
}

function section(title: string, rows: readonly (readonly [lines: string, text: string])[]): string[] {
  const width = Math.max(0, ...rows.map(([lines]) => lines.length));
  const texts = rows.map(([lines, text]) => `    ${lines.padStart(width)}  ${text}`);
  return ["", `  ${title}`, ...(texts.length > 0 ? texts : ["    none that the plugin knows of"])];
}

function linesOf({ from, to }: ExplainedTransaction): string {
  return from === to ? String(from) : `${String(from)}-${String(to)}`;
}

const kinds: Readonly<Record<ExplainedTransaction["as"], string>> = {
  callback: "runs this code inside",
  decorator: "runs the whole method inside",
  manual: "begins it, and this is how long it is open",
  handle: "is the type of a parameter that only an open transaction has",
  hook: "runs inside the transaction that saves the row",
  middleware: "opens it around the route's handler",
  ambient: "in settings.aftercommit.ambientTransaction says that other code opened one",
  finally: "is over, one way or the other",
};

function sentenceOf({ openedBy, as, line, rerunBy }: ExplainedTransaction): string {
  const again = rerunBy === undefined ? "" : `; ${rerunBy} runs it again after a conflict`;
  return `${openedBy} (line ${String(line)}) ${kinds[as]}${again}`;
}

function standing({ does, runs, because, path }: ExplainedCall): string {
  const what = { dispatch: "dispatches", effect: "has an effect", question: "only asks" }[does];
  const line = String(because);
  const where = {
    inside: `inside the transaction of line ${line}`,
    joined: "in the transaction whose handle it is given",
    deferred: `when the transaction is over (line ${line} keeps it until then)`,
    outside: "where no transaction is open, as far as is known",
  }[runs];
  return `${what} ${where}${path === undefined ? "" : `, by ${path}`}`;
}

function duration(value: ExplainedDuration | "not known"): string {
  return value === "not known" ? "not known" : `${String(value.seconds)} s (${value.setBy})`;
}
