import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { libraries } from "../../../rules/catalogue/index.js";
import type { Library } from "../../../rules/catalogue/vocabulary.js";
import { PackageDeclarations, resolvePackage } from "./declarations.js";
import { notDeclared, onlySignatures } from "./not-in-declarations.js";

/** Another folder can be given, to compare the catalogue with other versions of the libraries. */
const folder = process.env["CATALOGUE_PACKAGES"] ?? fileURLToPath(new URL("../fixtures/", import.meta.url));

/** Keys of an entry behind which members stand, and those behind which names of types stand. */
const memberKeys = new Set([
  "anywhere",
  "begin",
  "call",
  "chained",
  "classDecorator",
  "commit",
  "decorator",
  "member",
  "methodDecorator",
  "namedIn",
  "open",
  "property",
  "registeredBy",
  "replaySafe",
  "rollback",
  "setBy",
]);
const typeKeys = new Set([
  "annotated",
  "command",
  "extends",
  "functionType",
  "handleType",
  "implements",
  "parameterType",
  "type",
]);

describe("the catalogue", () => {
  const uninstalled = new Set<string>();
  const unverified: string[] = [];

  for (const library of libraries) {
    const { declarations, missing } = packagesOf(library);
    for (const name of missing) uninstalled.add(name);
    if (declarations.length === 0) continue;

    it(`names what ${library.name} declares`, () => {
      const unknown = namesIn(library)
        .filter((name) => !isDeclared(declarations, name))
        .map(({ text }) => text);
      const excuses = Object.values(notDeclared[library.name] ?? {}).flat();
      const unexcused = unknown.filter(
        (text) => !excuses.some((excuse) => excuse === text || text.startsWith(`${excuse}.`)),
      );
      // what is not found may stand in a package that is not installed
      if (missing.length > 0) unverified.push(...unexcused.map((text) => `${library.name}: ${text}`));
      else expect(unexcused).toEqual([]);
      // an excuse that nobody needs would hide the next change
      expect(
        excuses.filter((excuse) => !unknown.some((text) => excuse === text || text.startsWith(`${excuse}.`))),
      ).toEqual([]);
    });
  }

  it("is looked up in the packages of the fixtures", () => {
    console.info(`${String(uninstalled.size)} packages are not installed: ${[...uninstalled].sort().join(", ")}`);
    console.info(`${String(unverified.length)} names may stand in them: ${unverified.join("; ")}`);
    expect(libraries.filter((library) => packagesOf(library).declarations.length > 0).length).toBeGreaterThan(
      libraries.length / 2,
    );
  });

  it("has one entry a library", () => {
    expect(new Set(libraries.map((library) => library.name)).size).toBe(libraries.length);
  });
});

interface Name {
  readonly text: string;
  readonly isType: boolean;
}

/** Every name of an entry that its library has to declare. */
function namesIn(library: Library): readonly Name[] {
  const names = new Map<string, Name>();
  const add = (text: string, isType: boolean) => names.set(`${String(isType)} ${text}`, { text, isType });
  const visit = (value: unknown, key: string): void => {
    if (key === "joins") return;
    if (typeof value === "string") {
      if (memberKeys.has(key)) add(value, false);
      else if (typeKeys.has(key)) add(value, true);
    } else if (Array.isArray(value)) {
      for (const element of value) visit(element, key);
    } else if (typeof value === "object" && value !== null) {
      for (const [inner, content] of Object.entries(value)) visit(content, inner);
      if ("made" in value && "by" in value) visit(value.by, "member");
    }
  };
  const { values = {}, ...sections } = library;
  for (const [section, content] of Object.entries(sections)) visit(content, section);
  for (const [container, forms] of Object.entries(values)) {
    add(container, true);
    for (const form of [forms].flat()) add(form.replace(/(?<!\.)\((?:=>)?\)$/, ""), false);
  }
  return [...names.values()];
}

/** What the installed ones of a library's packages declare. Built-in modules and type packages have stand-ins. */
function packagesOf(library: Library): { declarations: readonly PackageDeclarations[]; missing: readonly string[] } {
  const names = [...library.packages, ...(library.importedFrom ?? [])];
  const found = names.map((name) => {
    const path = resolvePackage(folder, name);
    const declarations = path === undefined ? undefined : PackageDeclarations.of(path);
    return { name, declarations: declarations?.isEmpty === false ? declarations : undefined };
  });
  return {
    declarations: found.flatMap(({ declarations }) => declarations ?? []),
    missing: found
      .filter(({ name, declarations }) => !declarations && !/^(?:@types\/|[\w-]+:)/.test(name))
      .map(({ name }) => name),
  };
}

function isDeclared(packages: readonly PackageDeclarations[], { text }: Name): boolean {
  const isConstructor = text.startsWith("new ");
  const path = text.replace(/^(?:@|new )/, "").split(".");
  // `*` is whatever holds the rest: a container, or the module itself
  const [container = "", ...members] =
    path.length > 1 && path[0] === "*" && (isConstructor || packages.some((found) => found.has(path[1] ?? "")))
      ? path.slice(1)
      : path;
  const [member] = members;
  return packages.some((found) => {
    if (container === "default") return found.hasDefault;
    if (member === undefined) return isConstructor ? found.isConstructable(container) : found.has(container);
    if (member === "()") return found.isCallable(container);
    if (member === "*") return found.has(container);
    if (container === "*") return found.hasMemberAnywhere(member);
    return found.hasMember(container, members) || (onlySignatures.includes(container) && found.isCallable(container));
  });
}
