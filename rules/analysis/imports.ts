import { dirname, posix } from "node:path";

import { packageOfFile, packageOfSpecifier } from "./package-of.js";
import type { Ref } from "./semantics.js";

/** How projects call their own files: relative paths, `imports` of package.json, and the usual aliases. */
const ownModule = /^(?:\.{1,2}(?:\/|$)|\/|#\/?|[@~]\/|\$lib\/|(?=src\/))/;

/** What an import stands for, as far as the import itself tells. */
export function refOfImport(module: string, name: string, importer: string): Ref {
  const [prefix] = ownModule.exec(module) ?? [];
  if (prefix === undefined)
    return {
      package: packageOfSpecifier(module) ?? module,
      container: undefined,
      name,
      file: undefined,
      isProject: false,
    };
  // of an alias only the end of the path is known
  const file = prefix.startsWith(".")
    ? posix.join(dirname(importer).replaceAll("\\", "/"), module)
    : prefix === "/"
      ? module
      : module.slice(prefix.length);
  return { package: packageOfFile(importer).name, container: undefined, name, file, isProject: true };
}
