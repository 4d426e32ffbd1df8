import type { Program } from "./analysis.js";
import { enclosingFunction, type CallNode, type Node } from "./code/node.js";

/** A condition under which code runs: a read found nothing. */
export interface Guard {
  readonly read: CallNode;
  /** How the code ends where it found something, if not beside this code: it is done, or refuses. */
  readonly isEnd: "done" | "refusal" | undefined;
}

interface Subject {
  readonly of: Node;
  /** Whether the condition holds where nothing was found. */
  readonly isAbsent: boolean;
}

/** The reads that found nothing where a node runs, in its own function. */
export function guardsOf(node: Node, analysis: Program): readonly Guard[] {
  const guards: Guard[] = [];
  const add = (test: Node, isAbsent: boolean, isEnd: Guard["isEnd"]) => {
    for (const subject of subjectsOf(test)) {
      const read = subject.isAbsent === isAbsent ? readOf(subject.of, analysis) : undefined;
      if (read) guards.push({ read, isEnd });
    }
  };
  for (let inner = node, around = node.parent; around; inner = around, around = around.parent) {
    switch (around.kind) {
      case "if":
      case "conditional":
        if (around.then === inner) add(around.test, true, undefined);
        else if (around.otherwise === inner) add(around.test, false, undefined);
        break;
      case "binary":
        if (around.right === inner && /^(?:\?\?|\|\|)$/.test(around.operator)) add(around.left, false, undefined);
        if (around.right === inner && around.operator === "&&") add(around.left, true, undefined);
        break;
      case "assign":
        if (/^(?:\?\?|\|\|)=$/.test(around.operator)) add(around.target, false, undefined);
        break;
      case "block":
        for (const before of around.body.slice(0, around.body.indexOf(inner))) {
          const isEnd = before.kind === "if" && !before.otherwise ? endOf(before.then) : undefined;
          if (before.kind === "if" && isEnd) add(before.test, false, isEnd);
        }
        break;
      case "function":
        return guards;
      default:
    }
  }
  return guards;
}

const answersWithError =
  /\b(?:status|code|sendStatus|writeHead)\(\s*4\d\d|[{,]\s*error\s*:|\.(?:badRequest|conflict)\(/;

/** How a branch leaves: a throw, or an answer with an error, refuses. */
function endOf(branch: Node): Guard["isEnd"] {
  const last = branch.kind === "block" ? branch.body.at(-1) : branch;
  if (last?.kind === "throw") return "refusal";
  if (last?.kind === "return") {
    const { argument } = last;
    if (answersWithError.test(textOf(branch))) return "refusal";
    if (argument?.kind !== "call" && argument?.kind !== "object") return "done";
    return /error|fail|\b4\d\d\b|conflict|already|duplicate|invalid|reject|taken/i.test(textOf(argument))
      ? "refusal"
      : "done";
  }
  return last?.kind === "other" && /^(?:continue|break)\b/.test(textOf(last)) ? "done" : undefined;
}

/** What a condition asks about: `!row`, `rows.length === 0`, `count > 0`, and what is joined by `&&`. */
function subjectsOf(test: Node, isNegated = false): readonly Subject[] {
  if (test.kind === "unary" && test.operator === "!") return subjectsOf(test.argument, !isNegated);
  if (test.kind === "binary") {
    if (test.operator === "&&" && !isNegated) return [...subjectsOf(test.left), ...subjectsOf(test.right)];
    const { left, right, operator } = test;
    if (right.kind !== "literal" && !(right.kind === "name" && right.text === "undefined")) return [];
    const value = right.kind === "literal" ? right.value : undefined;
    const isNothing = value === null || value === undefined || value === 0 || value === false;
    if (/^={2,3}$/.test(operator) && isNothing) return [{ of: rowsOf(left), isAbsent: !isNegated }];
    if (/^!={1,2}$/.test(operator) && isNothing) return [{ of: rowsOf(left), isAbsent: isNegated }];
    if ((operator === ">" && value === 0) || (operator === ">=" && value === 1))
      return [{ of: rowsOf(left), isAbsent: isNegated }];
    return operator === "<" && value === 1 ? [{ of: rowsOf(left), isAbsent: !isNegated }] : [];
  }
  return [{ of: rowsOf(test), isAbsent: isNegated }];
}

/** `result` of `result.rows.length`, `rows` of `rows[0]`. */
function rowsOf(node: Node): Node {
  let rows = node;
  while (
    rows.kind === "member" &&
    (rows.index !== undefined || /^(?:length|rows|rowCount|size|\d+)$/.test(rows.property ?? ""))
  )
    rows = rows.object;
  return rows;
}

/** The call that gave what a condition asks about, where it was awaited here. */
function readOf(node: Node, { semantics }: Program): CallNode | undefined {
  if (node.kind === "await") return node.argument?.kind === "call" ? node.argument : undefined;
  if (node.kind === "member" && node.index !== undefined) return readOf(node.object, { semantics } as Program);
  if (node.kind !== "name") return undefined;
  const definition = semantics.definitionOfName(node);
  if (definition?.kind !== "variable" || definition.path.length > 1) return undefined;
  const { declarator } = definition;
  const { init } = declarator;
  if (enclosingFunction(declarator) !== enclosingFunction(node)) return undefined;
  return init?.kind === "await" && init.argument?.kind === "call" ? init.argument : undefined;
}

function textOf({ file, start, end }: Node): string {
  return file.text.slice(start, end);
}
