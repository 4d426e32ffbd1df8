import type { Adapter, Join } from "../catalogue/vocabulary.js";
import type { FileAnalysis } from "./analysis.js";
import { enclosingFunction, type CallNode, type CodeFile, type Node } from "./code/node.js";
import { oneOrMore } from "./knowledge.js";
import type { DispatchInside } from "./work-inside.js";
import type { Scope } from "./transaction-scope.js";

/** What makes a dispatch take part in the open transaction. */
export interface JoinEdits {
  /** The option, as it is written: `{ db: fromKnex(trx) }`. */
  readonly option: string;
  readonly edits: readonly { readonly start: number; readonly end: number; readonly text: string }[];
}

/** The edits that pass the transaction's handle to a dispatch that could join, where the handle has a name at hand. */
export function joinEdits(
  analysis: FileAnalysis,
  { scope, node, path, reached }: DispatchInside,
): JoinEdits | undefined {
  if (node.kind !== "call" || path.length !== 1 || reached.notJoined !== "no handle") return undefined;
  const handle = handleOf(scope, node, analysis);
  for (const join of oneOrMore(reached.known.entry.joins)) {
    const adapter = handle && adapterFor(join, handle.packages);
    if (!adapter || !("option" in join) || typeof join.option.argument !== "number") continue;
    const { argument, path: property } = join.option;
    if (property === undefined || property.includes(".")) continue;
    const value = `${property}: ${adapter.expression.replaceAll("$", handle.text)}`;
    const place = placeFor(node, argument, value);
    if (place) return { option: `{ ${value} }`, edits: [...importsFor(adapter, node.file), place] };
  }
  return undefined;
}

function adapterFor(join: Join, packages: readonly string[]): Adapter | undefined {
  return "option" in join ? join.adapters?.find(({ handleOf: name }) => packages.includes(name)) : undefined;
}

/** The name of the transaction's handle where a dispatch stands, and the packages that it may come from. */
function handleOf(
  { kind, openedAt, body }: Scope,
  place: Node,
  { effects, knowledge }: FileAnalysis,
): { readonly text: string; readonly packages: readonly string[] } | undefined {
  if (openedAt.kind !== "call") return undefined;
  const { refs } = effects.calledBy(openedAt, undefined);
  if (kind === "manual") {
    const [known] = knowledge.sql.find(refs);
    const { callee } = openedAt;
    return known && callee.kind === "member" && callee.object.kind === "name"
      ? { text: callee.object.text, packages: known.library.packages }
      : undefined;
  }
  if (kind !== "callback" || body.kind !== "function" || enclosingFunction(place) !== body) return undefined;
  for (const { library, entry } of knowledge.transactions.find(refs)) {
    const parameter = entry.handle === "last" ? body.params.at(-1) : body.params[entry.handle ?? -1];
    if (parameter?.target.kind === "name") return { text: parameter.target.text, packages: library.packages };
  }
  return undefined;
}

/** Where an option goes: into the object that is there, or behind the last argument. */
export function placeFor(call: CallNode, argument: number, value: string): JoinEdits["edits"][number] | undefined {
  const options = call.args[argument];
  if (options?.kind === "object") {
    const isEmpty = options.properties.length === 0;
    return isEmpty
      ? { start: options.start, end: options.end, text: `{ ${value} }` }
      : { start: options.start + 1, end: options.start + 1, text: ` ${value},` };
  }
  const last = call.args.at(-1);
  if (!last && argument === 0) return { start: call.end - 1, end: call.end - 1, text: `{ ${value} }` };
  return !options && last && call.args.length === argument
    ? { start: last.end, end: last.end, text: `, { ${value} }` }
    : undefined;
}

/** The imports that an adapter still needs, each added to an import of its module or before the first one. */
function importsFor({ imports = [] }: Adapter, file: CodeFile): JoinEdits["edits"] {
  const statements =
    file.root.kind === "block" ? file.root.body.filter((statement) => statement.kind === "import") : [];
  return imports.flatMap(([module, name]) => {
    const own = statements.filter((statement) => statement.module === module);
    if (own.some(({ specifiers }) => specifiers.some(({ local, imported }) => local === name && imported === name)))
      return [];
    for (const { start, end } of own) {
      const text = file.text.slice(start, end);
      const brace = text.lastIndexOf("}");
      const last = text.slice(0, brace).trimEnd();
      if (brace !== -1 && !/^import\s+type\b/.test(text) && !last.endsWith("{")) {
        const at = start + last.length;
        return [{ start: at, end: at, text: `${last.endsWith(",") ? "" : ","} ${name}` }];
      }
    }
    const at = statements[0]?.start ?? 0;
    return [{ start: at, end: at, text: `import { ${name} } from "${module}";\n` }];
  });
}
