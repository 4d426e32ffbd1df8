import type { Semantics } from "./semantics.js";
import { isTestFile } from "./test-file.js";

const written = new WeakMap<Semantics, Map<string, boolean>>();
const called = new WeakMap<Semantics, Map<string, number>>();

/** Whether a text stands anywhere in the code of the project. */
export function isWritten(text: string, semantics: Semantics): boolean {
  return kept(written, semantics, text, () => semantics.projectFiles().some((file) => file.text.includes(text)));
}

/** How often the project calls one of some names, tests aside. */
export function timesCalled(names: readonly string[], semantics: Semantics): number {
  return kept(called, semantics, names.join(), () => {
    const words = names.map((name) => name.replaceAll(".", "\\."));
    const pattern = new RegExp(`(?<![\\w$])(?:${words.join("|")})\\s*[(<]`, "g");
    return semantics
      .projectFiles()
      .filter(({ path }) => !isTestFile(path))
      .reduce((sum, { text }) => sum + (text.match(pattern)?.length ?? 0), 0);
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
