import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { version as pluginVersion } from "../rules/version.js";
import { version } from "../src/version.js";

test.each([
  ["package.json", version],
  ["rules/package.json", pluginVersion],
])("the exported version is the one in %s", (manifest, exported) => {
  const { version: released } = JSON.parse(readFileSync(new URL(`../${manifest}`, import.meta.url), "utf8")) as {
    version: string;
  };
  expect(exported).toBe(released);
});
