import { existsSync } from "node:fs";
import { dirname, join } from "node:path";

const folders = new Map<string, string>();

/** Whether a file is a test or belongs to tests, as its name and its folders inside its package say. */
export function isTestFile(path: string): boolean {
  const normal = path.replaceAll("\\", "/");
  const inside = normal.slice(packageFolder(dirname(normal)).length);
  return /(?:[.-](?:spec|test|e2e|e2e-spec|int-spec|mock|stub)\.[cm]?[jt]sx?$)|\/(?:__tests__|__mocks__|tests?|mocks?|fixtures|e2e)\//.test(
    inside,
  );
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
