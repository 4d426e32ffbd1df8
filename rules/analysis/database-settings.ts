import type { Semantics } from "./semantics.js";

const known = new WeakMap<Semantics, Map<string, ReadonlySet<string>>>();

/** The values that the project's code gives to an option which names the database: `client: "pg"`. */
export function databasesNamed(option: string, semantics: Semantics): ReadonlySet<string> {
  let byOption = known.get(semantics);
  if (!byOption) known.set(semantics, (byOption = new Map<string, ReadonlySet<string>>()));
  let names = byOption.get(option);
  if (!names) {
    const setting = new RegExp(`\\b(?:${option})["']?\\s*:\\s*["'\`]([\\w-]+)["'\`]`, "g");
    names = new Set(
      semantics.projectFiles().flatMap(({ text }) => [...text.matchAll(setting)].map(([, name = ""]) => name)),
    );
    byOption.set(option, names);
  }
  return names;
}
