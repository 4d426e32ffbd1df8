import { enclosingFunction, type CallNode, type CodeFile, type Node } from "./code/node.js";
import { occurrences } from "./occurrences.js";
import type { Semantics } from "./semantics.js";
import { isTestFile } from "./test-file.js";

const written = new WeakMap<Semantics, Map<string, boolean>>();
const called = new WeakMap<Semantics, Map<string, number>>();

/** Whether a text stands anywhere in the code of the project. */
export function isWritten(text: string, semantics: Semantics): boolean {
  return kept(written, semantics, text, () => semantics.projectFiles().some((file) => file.text.includes(text)));
}

/**
 * At how many places the project calls one of some names (`"new Sequelize"`, `"TypeOrmModule.forRoot"`), tests aside.
 * What one function chooses from (`if (url) new X(url) else new X(options)`) is one place.
 */
export function placesOf(names: readonly string[], semantics: Semantics): number {
  return kept(called, semantics, names.join(), () => {
    const files = semantics.projectFiles().filter(({ path }) => !isTestFile(path));
    const places = new Set<Node>();
    for (const name of names)
      for (const file of files) for (const call of callsNamed(name, file)) places.add(enclosingFunction(call) ?? call);
    return places.size;
  });
}

function callsNamed(name: string, file: CodeFile): readonly CallNode[] {
  const isNew = name.startsWith("new ");
  const path = name.replace("new ", "").split(".");
  return occurrences(file, path.at(-1) ?? "").flatMap((node) => {
    const { parent } = node;
    const isMeant =
      parent?.kind === "call" &&
      parent.callee === node &&
      parent.isNew === isNew &&
      (path.length === 1 ||
        (node.kind === "member" && node.object.kind === "name" && node.object.text === path.at(-2)));
    return isMeant ? [parent] : [];
  });
}

function kept<T>(answers: WeakMap<Semantics, Map<string, T>>, semantics: Semantics, key: string, find: () => T): T {
  let known = answers.get(semantics);
  if (!known) answers.set(semantics, (known = new Map<string, T>()));
  const before = known.get(key);
  if (before !== undefined) return before;
  const answer = find();
  known.set(key, answer);
  return answer;
}
