import { existsSync } from "node:fs";
import { dirname, join } from "node:path";

const folders = new Map<string, string>();

const test =
  /(?:[.-](?:spec|test|e2e|e2e-spec|int-spec|mock|stub)\.[cm]?[jt]sx?$)|\/(?:__tests__|__mocks__|tests?|mocks?|fixtures|e2e)\//;
const alone = /\/(?:seeds?|seeders?|migrations?|scripts?|factories|cli|bin)\/|\/[^/]*(?:seed|migrat)[^/]*$/i;

/** Whether a file is a test or belongs to tests, as its name and its folders inside its package say. */
export function isTestFile(path: string): boolean {
  return saysInsidePackage(path, test);
}

/** Whether a file is for seeding, migrating or a person at a terminal: nobody runs it twice at the same time. */
export function isRunAlone(path: string): boolean {
  return saysInsidePackage(path, alone);
}

/** Where the package begins is only looked for on the disk where the whole path says it. */
function saysInsidePackage(path: string, pattern: RegExp): boolean {
  const normal = path.replaceAll("\\", "/");
  return pattern.test(normal) && pattern.test(normal.slice(packageFolder(dirname(normal)).length));
}

/** The folder of the nearest package.json; the root where there is none. */
function packageFolder(folder: string): string {
  const known = folders.get(folder);
  if (known !== undefined) return known;
  const parent = dirname(folder);
  const found = parent === folder ? "" : existsSync(join(folder, "package.json")) ? folder : packageFolder(parent);
  folders.set(folder, found);
  return found;
}
