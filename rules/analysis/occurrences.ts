import { childrenOf, type CodeFile, type Node } from "./code/node.js";

/** A place where a name stands: the name itself, or the member, property or declaration that is called so. */
const known = new WeakMap<CodeFile, Map<string, readonly Node[]>>();

/** The nodes of a file at which a name stands. Found by text, so that a file is only read where the name is. */
export function occurrences(file: CodeFile, name: string): readonly Node[] {
  let byName = known.get(file);
  if (!byName) known.set(file, (byName = new Map<string, readonly Node[]>()));
  let nodes = byName.get(name);
  if (!nodes)
    byName.set(
      name,
      (nodes = [...positions(file.text, name)].flatMap((position) => namedAt(file.root, position, name) ?? [])),
    );
  return nodes;
}

/** Those of the occurrences that are read of something (`job.id`) whose last word passes a first glance. */
export function membersOf(file: CodeFile, name: string, isWorth: (word: string) => boolean): readonly Node[] {
  const found: Node[] = [];
  for (const position of positions(file.text, name)) {
    const word = wordBefore(file.text, position);
    const node = word !== undefined && isWorth(word) ? namedAt(file.root, position, name) : undefined;
    if (node) found.push(node);
  }
  return found;
}

/** The word in front of the dot that ends at a position; empty where it is no word: `jobs[0].id`, `take().id`. */
function wordBefore(text: string, position: number): string | undefined {
  let dot = position - 1;
  while (isSpace(text.charCodeAt(dot))) dot--;
  if (text[dot] !== ".") return undefined;
  let end = dot;
  while (end > 0 && (isSpace(text.charCodeAt(end - 1)) || text[end - 1] === "?" || text[end - 1] === "!")) end--;
  let start = end;
  while (start > 0 && isWordCharacter(text.charCodeAt(start - 1))) start--;
  return text.slice(start, end);
}

function isSpace(code: number): boolean {
  return code === 32 || (code >= 9 && code <= 13);
}

/** Whether the text of a file holds a name as a word of its own. */
export function mentions(file: CodeFile, name: string): boolean {
  for (const _ of positions(file.text, name)) return true;
  return false;
}

/** How often the text of a file holds a name as a word of its own, up to a number. */
export function countOf(file: CodeFile, name: string, most: number): number {
  let count = 0;
  for (const _ of positions(file.text, name)) if (++count >= most) break;
  return count;
}

function* positions(text: string, name: string): Generator<number> {
  for (let at = text.indexOf(name); at !== -1; at = text.indexOf(name, at + name.length)) {
    if (!isWordCharacter(text.charCodeAt(at - 1)) && !isWordCharacter(text.charCodeAt(at + name.length))) yield at;
  }
}

function isWordCharacter(code: number): boolean {
  return (
    (code >= 48 && code <= 57) ||
    (code >= 65 && code <= 90) ||
    (code >= 97 && code <= 122) ||
    code === 95 ||
    code === 36
  );
}

/** The innermost node at a position, where it is a use of the name: comments, strings and declarations are not. */
function namedAt(root: Node, position: number, name: string): Node | undefined {
  let current = root;
  for (;;) {
    const inner = childrenOf(current).find((child) => child.start <= position && position < child.end);
    if (!inner) break;
    current = inner;
  }
  if (current.kind === "name") return current.text === name ? current : undefined;
  return current.kind === "member" && current.property === name && current.end === position + name.length
    ? current
    : undefined;
}
