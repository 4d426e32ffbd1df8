import type { Program } from "./analysis.js";
import { childrenOf, type CodeFile, type FunctionNode, type NameNode, type Node } from "./code/node.js";
import { nameOfVariable } from "./effects.js";
import type { Knowledge } from "./knowledge.js";
import { withRenames } from "./renames.js";
import type { Semantics } from "./semantics.js";

const ROUNDS = 3;
/** A function longer than this (in characters) does more than begin or end a transaction. */
export const SHORT = 2500;

/** The names by which functions around transactions are called: asked before any question about types. */
export interface WrapperNames {
  /** Of functions that may open a transaction around a function: the libraries' and the project's. */
  readonly openers: ReadonlySet<string>;
  /** Of functions that may begin or end a transaction. */
  readonly turns: ReadonlySet<string>;
  /** Those of the project. */
  readonly own: ReadonlySet<string>;
}

/** Finds the names, from the libraries' outwards; of a file only the functions around a mention are looked at. */
export function searchNames({ knowledge, semantics }: Program): WrapperNames {
  const files = semantics.projectFiles();
  const openers = new Set(
    [...knowledge.transactions.names, ...knowledge.shapes.openers].filter((name) => !generic.has(name)),
  );
  const turns = new Set(
    [
      ...knowledge.begins.names,
      ...knowledge.commits.names,
      ...knowledge.rollbacks.names,
      ...knowledge.shapes.turns,
    ].filter((name) => !generic.has(name)),
  );
  const own = new Set<string>();
  let words: ReadonlySet<string> = new Set([...openers, ...turns]);
  let turning: ReadonlySet<string> = new Set(turns);
  for (let round = 0; round < ROUNDS && words.size > 0; round++) {
    const mention = callPattern(words);
    const turn = turning.size > 0 ? callPattern(turning) : undefined;
    const fresh = new Set<string>();
    const freshTurns = new Set<string>();
    for (const file of files) {
      for (const fn of functionsMentioning(file, mention, round === 0)) {
        const name = nameForSearch(fn);
        if (name === undefined) continue;
        if (!openers.has(name) && handsOn(fn, mention, semantics)) {
          openers.add(name);
          own.add(name);
          fresh.add(name);
        }
        if (!turns.has(name) && fn.end - fn.start <= SHORT && mayTurn(fn, turn, round === 0)) {
          turns.add(name);
          if (!vague.has(name)) own.add(name);
          fresh.add(name);
          freshTurns.add(name);
        }
      }
    }
    words = fresh;
    turning = freshTurns;
  }
  return {
    openers: withRenames(new Set([...openers, ...knowledge.transactions.names]), files),
    turns: withRenames(
      new Set([
        ...turns,
        ...knowledge.begins.names,
        ...knowledge.commits.names,
        ...knowledge.rollbacks.names,
        ...knowledge.sql.names,
      ]),
      files,
    ),
    own,
  };
}

/** Names that say nothing by themselves: they count where the rest of the callee speaks of a transaction. */
export const generic = new Set(["execute", "run", "start", "close", "abort", "distributed", "write"]);
/** Of these many do something else, so that to begin or end a transaction is not what they are for. */
const vague = new Set(["execute", "run", "write"]);

/** A call of one of the names: `name(`, `name<T>(`, `name.call(`. */
function callPattern(names: Iterable<string>): RegExp {
  const words = [...names].map((name) => name.replace(/[^\w]/g, "\\$&"));
  return new RegExp(`(?<![\\w$])(?:${words.join("|")})(?:\\s*<[^()]{0,80}>)?(?:\\.(?:call|apply|bind))?\\s*\\(`, "g");
}

/** Any of the words, as a whole word; where a word is a keyword too (`import`), as a member. */
export function wordsPattern(words: Iterable<string>): RegExp {
  const forms = [...words].map((word) => `${keywords.has(word) ? "(?<=\\.)" : ""}${word.replace(/[^\w]/g, "\\$&")}`);
  return new RegExp(`(?<![\\w$])(?:${forms.join("|")})(?![\\w$])`);
}

const keywords = new Set([
  "import",
  "export",
  "default",
  "delete",
  "new",
  "return",
  "with",
  "try",
  "catch",
  "finally",
  "for",
  "if",
  "in",
]);

/** Whether a function calls one of the names that begin or end a transaction, or sends SQL that does. */
function mayTurn(fn: FunctionNode, turn: RegExp | undefined, withSql: boolean): boolean {
  const text = fn.file.text.slice(fn.start, fn.end);
  return (turn !== undefined && text.search(turn) !== -1) || (withSql && mentionsSql(text));
}

/** Whether a text holds a string that begins or ends a transaction. */
export function mentionsSql(text: string): boolean {
  return text.search(sqlCall) !== -1;
}

const sqlCall = /[`'"]\s*(?:BEGIN|START\s+TRANSACTION|COMMIT|ROLLBACK)\b/gi;

const mentions = new WeakMap<CodeFile, Map<string, readonly FunctionNode[]>>();

/** The functions of a file around each match, innermost first. Kept as long as the file is unchanged. */
function functionsMentioning(file: CodeFile, pattern: RegExp, withSql: boolean): readonly FunctionNode[] {
  let known = mentions.get(file);
  if (!known) mentions.set(file, (known = new Map<string, readonly FunctionNode[]>()));
  const before = known.get(pattern.source);
  if (before) return before;
  const found = new Set<FunctionNode>();
  for (const expression of withSql ? [pattern, sqlCall] : [pattern]) {
    for (const match of file.text.matchAll(expression))
      for (const fn of functionsAround(file.root, match.index)) found.add(fn);
  }
  const functions = [...found];
  known.set(pattern.source, functions);
  return functions;
}

function functionsAround(root: Node, offset: number): FunctionNode[] {
  const found: FunctionNode[] = [];
  for (let node: Node | undefined = root; node;) {
    if (node.kind === "function" && node.body) found.unshift(node);
    node = childrenOf(node).find((child) => child.start <= offset && offset < child.end);
  }
  return found;
}

/** The name that callers use: of the function, or of the function or constant that returns it. */
function nameForSearch(fn: FunctionNode): string | undefined {
  const own = fn.name ?? nameOfVariable(fn);
  if (own !== undefined) return own === "constructor" ? undefined : own;
  for (let above = fn.parent; above; above = above.parent) {
    if (above.kind === "function") return nameForSearch(above);
    if (above.kind !== "return" && above.kind !== "block" && above.kind !== "assign") return undefined;
  }
  return undefined;
}

/** Whether a function calls one of its parameters, or hands one to a call of the pattern. */
function handsOn(fn: FunctionNode, pattern: RegExp, semantics: Semantics): boolean {
  const text = fn.body ? fn.file.text.slice(fn.body.start, fn.body.end) : "";
  const outer = fn.parent && fn.name === undefined ? parametersAround(fn) : [];
  const parameters = [...fn.params.flatMap((parameter) => namesIn(parameter.target)), ...outer];
  return parameters.some(
    (parameter) =>
      isHandedOn(parameter.text, text, pattern, (member) => semantics.mayRun(parameter, member)) ||
      namesMadeOf(parameter.text, text).some((name) => isHandedOn(name, text, pattern, () => true)),
  );
}

/** Whether a name is called or handed on in a text; types decide where the text alone could mean data. */
function isHandedOn(name: string, text: string, pattern: RegExp, mayRun: (member?: string) => boolean): boolean {
  if (!/^[\w$]+$/.test(name)) return false;
  const word = `(?<![\\w$.])${name.replaceAll("$", "\\$")}`;
  if (new RegExp(`${word}(?:\\s*\\(|\\?\\.\\(|\\.(?:call|apply|bind)\\b)`).test(text)) return true;
  if (new RegExp(`(?:${pattern.source})(?:[^()]|\\([^()]*\\))*?${word}(?![\\w$.])`).test(text) && mayRun()) return true;
  const members = new Set(
    [...text.matchAll(new RegExp(`${word}(?:\\?)?\\.([\\w$]+)\\s*\\(`, "g"))].map(([, member = ""]) => member),
  );
  return [...members].some((member) => !new RegExp(`^(?:${pattern.source})`).test(`${member}(`) && mayRun(member));
}

/** `const original = descriptor.value` */
function namesMadeOf(name: string, text: string): string[] {
  if (!/^[\w$]+$/.test(name)) return [];
  return [
    ...text.matchAll(
      new RegExp(
        `\\b(?:const|let|var)\\s+([\\w$]+)\\s*=\\s*${name.replaceAll("$", "\\$")}(?:\\??\\.[\\w$]+)+\\s*[;\\n]`,
        "g",
      ),
    ),
  ].map(([, made = ""]) => made);
}

/** Parameters of functions around an unnamed one: `(deps) => async (work) => …`, a decorator's `descriptor`. */
function parametersAround(fn: FunctionNode): NameNode[] {
  for (let above = fn.parent; above; above = above.parent) {
    if (above.kind === "function") return above.params.flatMap((parameter) => namesIn(parameter.target));
  }
  return [];
}

function namesIn(target: Node): NameNode[] {
  if (target.kind === "name") return [target];
  return target.kind === "pattern" ? target.entries.flatMap((entry) => namesIn(entry.target)) : [];
}

/** Of some names, those that tell of a transaction by themselves, and the word itself. */
export function tellingOf(names: readonly string[], knowledge: Knowledge): string[] {
  return names.filter((name) => !generic.has(name) && !knowledge.sql.hasName(name)).concat("transaction");
}

/** Names of the libraries' own members that open, begin or end a transaction. */
export function tellingNames(knowledge: Knowledge): string[] {
  const { transactions, begins, commits, rollbacks, shapes } = knowledge;
  const names = [transactions, begins, commits, rollbacks].flatMap((index) => [...index.names]);
  return tellingOf([...names, ...shapes.openers, ...shapes.turns], knowledge);
}
