import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";

import { messagesOf } from "./cases.js";

const code = (stalledThreshold: string) => `import { Job, QueueManager } from "@boringnode/queue";
export class Sync extends Job {
  static options = { timeout: "2m" };
  async execute() {}
}
await QueueManager.init({ default: "x", adapters: {}, worker: { stalledThreshold: ${stalledThreshold} } });`;

const roots: string[] = [];
afterAll(() => {
  for (const root of roots) rmSync(root, { recursive: true });
});

/** A file of a project in which this version is installed. */
function fileWith(version: string | undefined): string {
  const root = mkdtempSync(join(tmpdir(), "aftercommit-"));
  roots.push(root);
  const folder = join(root, "node_modules/@boringnode/queue");
  mkdirSync(folder, { recursive: true });
  if (version !== undefined) writeFileSync(join(folder, "package.json"), JSON.stringify({ version }));
  return join(root, "app/jobs/sync.ts");
}

describe("P29: the version that is installed", () => {
  test.each(["0.5.0", "0.5.2", "0.4.9-beta.1"])("%s does not renew the lease", (version) => {
    expect(messagesOf(code(`"30s"`), [], fileWith(version))).toEqual([
      "This handler may run for 120 s (`timeout`, line 3), longer than the 30 s for which the queue leaves it the job (`stalledThreshold`, line 6): after that the queue hands the job to a second worker while the first still runs. Lower `timeout`, raise `stalledThreshold`, or install 0.6.0, which renews the lease by itself.",
    ]);
    expect(messagesOf(code(`"5m"`), [], fileWith(version))).toEqual([]);
    expect(messagesOf(code("180_000"), [], fileWith(version))).toEqual([]);
  });

  test.each(["0.6.0", "0.6.1", "1.0.0"])("%s renews it", (version) => {
    expect(messagesOf(code(`"30s"`), [], fileWith(version))).toEqual([]);
  });

  test("one that nobody knows leads to silence", () => {
    expect(messagesOf(code(`"30s"`), [], fileWith(undefined))).toEqual([]);
  });
});
