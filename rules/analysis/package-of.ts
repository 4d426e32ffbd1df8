import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";

const projectPackages = new Map<string, string>();

/**
 * The package that a file belongs to: the folder after the last `node_modules`, else the name in the nearest
 * package.json. `@types/x` counts as `x`.
 */
export function packageOfFile(path: string): { name: string; isProject: boolean } {
  const normal = path.replaceAll("\\", "/");
  const at = normal.lastIndexOf("/node_modules/");
  if (at === -1) return { name: nearestPackage(dirname(normal)), isProject: true };
  const [scope = "", second = ""] = normal.slice(at + "/node_modules/".length).split("/");
  return { name: withoutTypes(scope.startsWith("@") ? `${scope}/${second}` : scope), isProject: false };
}

/** `@types/node` → `node`, `@types/scope__name` → `@scope/name`. */
export function withoutTypes(name: string): string {
  if (!name.startsWith("@types/")) return name;
  const bare = name.slice("@types/".length);
  return bare.includes("__") ? `@${bare.replace("__", "/")}` : bare;
}

/** The package of an import specifier: `bullmq/dist/x` → `bullmq`; built-in modules as `node:crypto`; relative paths: none. */
export function packageOfSpecifier(specifier: string): string | undefined {
  if (specifier.startsWith(".") || specifier.startsWith("/") || specifier.startsWith("#")) return undefined;
  const [first = "", second = ""] = specifier.split("/");
  const name = first.startsWith("@") ? `${first}/${second}` : first;
  return builtin.has(name) ? `node:${specifier}` : name;
}

const builtin = new Set([
  "crypto",
  "events",
  "http",
  "https",
  "net",
  "timers",
  "fs",
  "stream",
  "child_process",
  "worker_threads",
  "os",
  "util",
]);

function nearestPackage(folder: string): string {
  const known = projectPackages.get(folder);
  if (known !== undefined) return known;
  const manifest = join(folder, "package.json");
  const parent = dirname(folder);
  let name = "";
  try {
    if (existsSync(manifest)) {
      const content: unknown = JSON.parse(readFileSync(manifest, "utf8"));
      if (typeof content === "object" && content !== null && "name" in content && typeof content.name === "string")
        name = content.name;
    }
  } catch {
    // an unreadable manifest names nothing
  }
  if (name === "" && parent !== folder && !existsSync(manifest)) name = nearestPackage(parent);
  projectPackages.set(folder, name);
  return name;
}
