import { existsSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { PGlite } from "@electric-sql/pglite";
import ts from "typescript";
import { expect, test } from "vitest";
import { understand } from "../../src/cli/run.js";
import { outboxDdl } from "../../src/outbox/ddl.js";
import { blocksOf, migrationPages, pages, textOf } from "./blocks.js";
import { covers, namesIn } from "./scenarios.js";

const root = join(import.meta.dirname, "../..");

/** The anchors of a page, as GitHub makes them. */
function anchorsOf(page: string): string[] {
  return [...textOf(page).matchAll(/^#+ (.+)$/gm)].map(([, title = ""]) =>
    title
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, "")
      .replaceAll(" ", "-"),
  );
}

const otherPages = readdirSync(join(root, "docs"))
  .filter((name) => name.endsWith(".md"))
  .map((name) => `docs/${name}`);

test.each([...pages, ...migrationPages, ...otherPages])("the links of %s lead somewhere", (page) => {
  const broken: string[] = [];
  for (const [, target = ""] of textOf(page).matchAll(/\]\(([^)\s]+)\)/g)) {
    if (/^[a-z]+:/.test(target)) continue;
    const [path = "", anchor] = target.split("#");
    const file = path === "" ? page : join(dirname(page), path);
    if (!existsSync(join(root, file))) broken.push(target);
    else if (anchor !== undefined && !anchorsOf(file).includes(anchor)) broken.push(target);
  }
  expect(broken).toEqual([]);
});

test("each scenario that guarantees.md names is in one of the tests that it names beside it", () => {
  const page = "docs/guide/guarantees.md";
  const missing: string[] = [];
  for (const row of textOf(page)
    .split("\n")
    .filter((line) => /^\| \d+ /.test(line))) {
    const files = [...row.matchAll(/\]\(([^)]+\.test\.ts)\)/g)].map(([, file = ""]) => join("docs/guide", file));
    const tests = files.map((file) => namesIn(textOf(file))).join("\n");
    for (const [id] of row.matchAll(/\b[A-Z]{2}-\d\d\b/g)) if (!covers(tests, id)) missing.push(id);
  }
  expect(missing).toEqual([]);
});

test("every command of aftercommit in the guide is one that it takes", () => {
  const commands = [...pages, ...migrationPages].flatMap((page) =>
    [...textOf(page).matchAll(/npx aftercommit ([^`#|\n]*)/g)].map(([, words = ""]) => words.trim().split(/\s+/)),
  );
  expect(commands.length).toBeGreaterThan(3);
  for (const words of commands) expect(() => understand(words), words.join(" ")).not.toThrow();
});

test("the queries to watch the outbox with run on its table", async () => {
  const queries = blocksOf("docs/guide/outbox-operations.md").filter(({ language }) => language === "sql");
  expect(queries).toHaveLength(1);
  const db = await PGlite.create();
  await db.exec(outboxDdl("postgres"));
  await db.exec(
    `INSERT INTO aftercommit_outbox (id, queue, payload, occurred_at) VALUES (gen_random_uuid(), 'q', '1', now())`,
  );
  const [waiting, failed] = await db.exec(queries[0]?.code ?? "");
  expect(waiting?.rows).toMatchObject([{ queue: "q", count: 1 }]);
  expect(failed?.rows).toEqual([]);
  await db.close();
});

test("every piece of TypeScript in the guide and the README compiles", () => {
  const folder = mkdtempSync(join(tmpdir(), "aftercommit-guide-"));
  try {
    symlinkSync(join(root, "node_modules"), join(folder, "node_modules"));
    writeFileSync(join(folder, "package.json"), JSON.stringify({ type: "module" }));
    const files = pages.flatMap((page) =>
      blocksOf(page)
        .filter(({ language }) => language === "ts")
        .map(({ code, line }) => {
          // Blocks that have a name import each other by it.
          const own = /^\/\/ (\S+\.ts)$/m.exec(code)?.[1];
          const name = own ?? `${page.replaceAll(/[/.]/g, "-")}-${line.toString()}.ts`;
          writeFileSync(join(folder, name), `${code}export {};\n`);
          return join(folder, name);
        }),
    );
    expect(files.length).toBeGreaterThan(10);
    const { config } = ts.readConfigFile(join(root, "tsconfig.base.json"), (file) => ts.sys.readFile(file)) as {
      config: { compilerOptions: Record<string, unknown> };
    };
    const { options } = ts.convertCompilerOptionsFromJson(
      {
        ...config.compilerOptions,
        noEmit: true,
        noUnusedLocals: false,
        // Nest's manners.
        experimentalDecorators: true,
        erasableSyntaxOnly: false,
        allowImportingTsExtensions: true,
        paths: { aftercommit: [join(root, "src/index.ts")], "aftercommit/*": [join(root, "src/*.ts")] },
      },
      folder,
    );
    const program = ts.createProgram([...files, join(import.meta.dirname, "globals.ts")], options);
    const wrong = ts.getPreEmitDiagnostics(program).map(({ file, start, messageText }) => {
      const place =
        file === undefined
          ? ""
          : `${file.fileName.slice(folder.length)}:${(file.getLineAndCharacterOfPosition(start ?? 0).line + 1).toString()}`;
      return `${place} ${ts.flattenDiagnosticMessageText(messageText, "\n")}`;
    });
    expect(wrong).toEqual([]);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
