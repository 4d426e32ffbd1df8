import { childrenOf, type CodeFile, type Node, type TryNode } from "./code/node.js";

const known = new WeakMap<CodeFile, readonly TryNode[]>();

/** The statements of a file with a `catch`. Found by text, so that a file is only read where one is. */
export function triesIn(file: CodeFile): readonly TryNode[] {
  let tries = known.get(file);
  if (!tries) {
    const found = new Set<TryNode>();
    for (const { index } of file.text.matchAll(/\bcatch\b/g)) {
      const node = innermostAt(file.root, index);
      if (node.kind === "try" && node.handler) found.add(node);
    }
    known.set(file, (tries = [...found]));
  }
  return tries;
}

function innermostAt(root: Node, position: number): Node {
  let current = root;
  for (;;) {
    const inner = childrenOf(current).find((child) => child.start <= position && position < child.end);
    if (!inner) return current;
    current = inner;
  }
}
