import type { CodeFile } from "./code/node.js";

const lists = /\b(?:import|export)\b[^;{}'"]*\{([^}]*)\}/g;
const rename = /([\w$]+)\s+as\s+([\w$]+)/g;

const known = new WeakMap<CodeFile, readonly (readonly [string, string])[]>();

/** What a file imports or exports under another name: `import { a as b }`, `export { a as b } from`. */
export function renamesIn(file: CodeFile): readonly (readonly [from: string, to: string])[] {
  let found = known.get(file);
  if (!found) {
    found = [...file.text.matchAll(lists)].flatMap(([, list = ""]) =>
      [...list.matchAll(rename)].map(([, from = "", to = ""]) => [from, to] as const),
    );
    known.set(file, found);
  }
  return found;
}

/** The names together with those that the files give them. */
export function withRenames(names: ReadonlySet<string>, files: readonly CodeFile[]): ReadonlySet<string> {
  const renames = files.flatMap(renamesIn);
  const all = new Set(names);
  for (let before = -1; before !== all.size;) {
    before = all.size;
    for (const [from, to] of renames) if (all.has(from)) all.add(to);
  }
  return all;
}
