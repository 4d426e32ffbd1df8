import { lineOf, type Node } from "./code/node.js";
import type { Concurrent } from "./concurrent-queries.js";

/** The edit that awaits the elements of a written list one after the other, where the list is all that a statement awaits. */
export function oneByOne({
  call,
  by,
  elements,
}: Concurrent): { readonly start: number; readonly end: number; readonly text: string } | undefined {
  const awaited = call.parent;
  if (by !== "Promise.all" || awaited?.kind !== "await" || !elements?.every(({ kind }) => kind === "call"))
    return undefined;
  const { file } = call;
  if (/\/[/*]/.test(file.text.slice(call.start, call.end).replaceAll(/(["'`]).*?\1/g, ""))) return undefined;
  const textOf = (node: Node) => file.text.slice(node.start, node.end);
  if (awaited.parent?.kind === "block")
    return edit(
      awaited,
      elements.map((element) => `await ${textOf(element)}`),
    );
  const declarator = awaited.parent;
  const statement = declarator?.parent;
  if (declarator?.kind !== "declarator" || statement?.kind !== "declare" || statement.declarators.length > 1)
    return undefined;
  const { target } = declarator;
  if (target.kind !== "pattern" || statement.parent?.kind !== "block") return undefined;
  const names = elements.map((_, index) => target.entries.find(({ key }) => key === index));
  const isPlain = target.entries.every(
    ({ key, target: name, defaultValue }) => typeof key === "number" && name.kind === "name" && !defaultValue,
  );
  if (!isPlain) return undefined;
  const word = statement.isConst ? "const" : "let";
  return edit(
    { file, start: statement.start, end: declarator.end },
    elements.map((element, index) => {
      const name = names[index]?.target;
      return name ? `${word} ${textOf(name)} = await ${textOf(element)}` : `await ${textOf(element)}`;
    }),
  );
}

function edit(
  { file, start, end }: Pick<Node, "file" | "start" | "end">,
  statements: readonly string[],
): { start: number; end: number; text: string } {
  const line = file.text.split("\n")[lineOf(file, start) - 1] ?? "";
  const [indent = ""] = /^\s*/.exec(line) ?? [];
  return { start, end, text: statements.join(`;\n${indent}`) };
}
