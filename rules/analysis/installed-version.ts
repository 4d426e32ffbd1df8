import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";

const versions = new Map<string, string | null>();

/** Whether the package that a file would import is older than a version; `false` where it is not installed. */
export function isBefore(wanted: { readonly package: string; readonly version: string }, file: string): boolean {
  const installed = installedVersion(wanted.package, dirname(file));
  return installed !== undefined && compare(installed, wanted.version) < 0;
}

/** Whether the package that a file would import is of a version or later; `false` where it is not installed. */
export function isSince(wanted: { readonly package: string; readonly version: string }, file: string): boolean {
  const installed = installedVersion(wanted.package, dirname(file));
  return installed !== undefined && compare(installed, wanted.version) >= 0;
}

/** The version in the nearest `node_modules`, as Node looks for it. */
function installedVersion(name: string, folder: string): string | undefined {
  const key = `${folder}\0${name}`;
  const known = versions.get(key);
  if (known !== undefined) return known ?? undefined;
  const parent = dirname(folder);
  const found =
    versionIn(join(folder, "node_modules", name, "package.json")) ??
    (parent === folder ? undefined : installedVersion(name, parent));
  versions.set(key, found ?? null);
  return found;
}

function versionIn(manifest: string): string | undefined {
  try {
    const content: unknown = JSON.parse(readFileSync(manifest, "utf8"));
    return typeof content === "object" &&
      content !== null &&
      "version" in content &&
      typeof content.version === "string"
      ? content.version
      : undefined;
  } catch {
    return undefined;
  }
}

function compare(a: string, b: string): number {
  const numbers = (version: string) =>
    version
      .split(/[.+-]/)
      .slice(0, 3)
      .map((part) => Number.parseInt(part, 10) || 0);
  const [left, right] = [numbers(a), numbers(b)];
  for (const index of [0, 1, 2]) {
    const difference = (left[index] ?? 0) - (right[index] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}
