import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { version } from "../src/version.js";

test("the exported version is the one in package.json", () => {
  const manifest = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8")) as { version: string };
  expect(version).toBe(manifest.version);
});
