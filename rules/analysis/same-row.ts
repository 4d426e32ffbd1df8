import { childrenOf, type CallNode, type Node } from "./code/node.js";
import { nameOfCallee } from "./effects.js";

/** Whether what is looked for is what is inserted: a value that both are given, and no column with different ones. */
export function isOfSameRow(read: CallNode, insert: CallNode): boolean {
  const asked = argumentsOf(read);
  const given = argumentsOf(insert);
  const columns = new Map(given.flatMap(columnsIn));
  if (asked.flatMap(columnsIn).some(([column, value]) => (columns.get(column) ?? value) !== value)) return false;
  const values = new Set(given.flatMap(valuesIn));
  return asked
    .flatMap(valuesIn)
    .some((value) => values.has(value) || values.has(value.slice(0, Math.max(0, value.indexOf(".")))));
}

/** What a chain is given, without what names its table: the beginning does (`knex("users")`, `getRepository(User)`), or `from`. */
function argumentsOf(call: CallNode): readonly Node[] {
  const links = linksOf(call);
  return links
    .filter((link) => link === call || (link !== links.at(-1) && !/^(?:from|into)$/.test(nameOfCallee(link) ?? "")))
    .flatMap(({ args }) => args);
}

/** Names and members, as they are written. */
function valuesIn(node: Node): readonly string[] {
  // what a class or an enum is called tells no row from another
  if (node.kind === "name") return /^[A-Z]/.test(node.text) ? [] : [node.text];
  if (node.kind === "member" && node.property !== undefined && node.object.kind !== "call")
    return /^[A-Z]/.test(textOf(node)) ? [] : [textOf(node).replaceAll(/[!?\s]/g, "")];
  return node.kind === "function" ? [] : childrenOf(node).flatMap(valuesIn);
}

/** The columns of an object, or of those in it (`where`, `data`), with what they are to be. */
function columnsIn(node: Node): readonly (readonly [string, string])[] {
  if (node.kind !== "object") return [];
  return node.properties.flatMap(({ key, value }) =>
    key === undefined
      ? []
      : value.kind === "object" && /^(?:where|data|filter)$/.test(key)
        ? columnsIn(value)
        : [[key, textOf(value)] as const],
  );
}

/** The calls of a chain, from the last to the first. */
export function linksOf(call: CallNode): readonly CallNode[] {
  const links: CallNode[] = [];
  for (let link: Node = call; link.kind === "call" || link.kind === "member";) {
    if (link.kind === "call") links.push(link);
    link = link.kind === "call" ? link.callee : link.object;
  }
  return links;
}

function textOf({ file, start, end }: Node): string {
  return file.text.slice(start, end);
}
