import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";

import { inOneUnit } from "../../../rules/analysis/duration.js";
import { libraries } from "../../../rules/catalogue/index.js";
import type { DurationSetting, HandlerTime, LeasePair, NoLeasePair } from "../../../rules/catalogue/vocabulary.js";
import { messagesOf } from "./cases.js";

const path = join(import.meta.dirname, "../../../docs/rules/require-timeout-below-retry-after.md");
const page = readFileSync(path, "utf8");

describe("the page of the rule", () => {
  const blocksOf = (heading: string) => {
    const [, section = ""] = page.split(`### ${heading}\n`);
    return [...(section.split(/^##/m)[0] ?? "").matchAll(/```ts\n([\s\S]*?)```/g)].map(([, code = ""]) => code);
  };

  test.each(blocksOf("❌ Incorrect"))("shows wrong code that is reported: %s", (code) => {
    expect(messagesOf(code)).toHaveLength(1);
  });

  test.each(blocksOf("✅ Correct"))("shows right code that is not reported: %s", (code) => {
    expect(messagesOf(code)).toEqual([]);
  });

  test("lists the pairs of the catalogue (UPDATE_TABLE=1 writes them)", () => {
    const table = tableOfPairs();
    const [before = "", rest = ""] = page.split("<!-- begin pairs -->\n");
    const [found = "", after = ""] = rest.split("<!-- end pairs -->");
    if (process.env["UPDATE_TABLE"]) {
      writeFileSync(path, `${before}<!-- begin pairs -->\n${table}<!-- end pairs -->${after}`);
    } else expect(found).toBe(table);
  });

  test("and the catalogue has every pair from P1 to P34", () => {
    const ids = new Set(libraries.flatMap((library) => (library.leases ?? []).map(({ id }) => id)));
    expect([...ids].sort(byNumber)).toEqual(Array.from({ length: 34 }, (_, index) => `P${String(index + 1)}`));
  });
});

/** One row for what is compared in the same way, whatever libraries do. */
function tableOfPairs(): string {
  const rows = new Map<string, { id: string; names: string[]; cells: readonly string[] }>();
  for (const library of libraries) {
    for (const pair of library.leases ?? []) {
      const cells = "because" in pair ? cellsOfNone(pair) : cellsOf(pair, library.name);
      const key = [pair.id, ...cells].join("|");
      const row = rows.get(key) ?? { id: pair.id, names: [], cells };
      const name = library.name.replace(/ \(.*\)$/, "");
      if (!row.names.includes(name)) row.names.push(name);
      rows.set(key, row);
    }
  }
  const lines = [...rows.values()]
    .sort((a, b) => byNumber(a.id, b.id))
    .map(({ id, names, cells }) => `| ${id} | ${names.sort().join(", ")} | ${cells.join(" | ")} |`);
  return [
    "",
    "<!-- prettier-ignore -->",
    "|  | Library | What | has to be | the lease |",
    "| --- | --- | --- | --- | --- |",
    ...lines,
    "",
    "",
  ].join("\n");
}

function byNumber(a: string, b: string): number {
  return Number(a.slice(1)) - Number(b.slice(1));
}

function cellsOfNone({ settings, because }: NoLeasePair): readonly string[] {
  return [settings, "anything", because];
}

function cellsOf(pair: LeasePair, library: string): readonly string[] {
  const relation = { limit: "below", renewal: "at most half of", order: pair.equalIsFine ? "at most" : "below" };
  const version = pair.before ? ` (before ${pair.before.version})` : "";
  return [`${sideText(pair.timeout, library)}${version}`, relation[pair.as], sideText(pair.lease, library)];
}

function sideText(side: LeasePair["timeout"], library: string): string {
  const parts = [side].flat() as readonly (DurationSetting | HandlerTime)[];
  return [...new Set(parts.flatMap((part) => ("handler" in part ? timeText(part) : settingText(part, library))))].join(
    ", else ",
  );
}

function timeText(time: HandlerTime): string {
  return time.isInterval ? "how often the handler renews" : "the limits in the handler";
}

function settingText(setting: DurationSetting, library: string): string[] {
  const names = [setting.slot ?? []].flat().map(
    ({ path: steps }) =>
      (steps ?? "")
        .split(/\.(?![^']*'$)/)
        .filter((step) => !/^\d+$/.test(step))
        .at(-1) ?? "",
  );
  const member = setting.at && "chained" in setting.at ? [setting.at.chained].flat()[0]?.split(".").at(-1) : undefined;
  const unit = setting.unit === "written" ? "duration" : setting.unit;
  const texts = [...new Set(names.map((name) => (name === "" ? (member ?? "") : name.replaceAll("'", ""))))].filter(
    Boolean,
  );
  const given = texts.length > 0 ? `${texts.map((name) => `\`${name}\``).join(" or ")} (${unit})` : "";
  if (setting.default === undefined) return [given];
  const whose = setting.defaultIs ?? `the default of ${library}`;
  return [given, `${inOneUnit(setting.default)[0] ?? ""}${setting.defaultIs ? ` (${whose})` : " by default"}`].filter(
    Boolean,
  );
}
