import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** A code block of a page. */
export interface Block {
  readonly page: string;
  readonly language: string;
  readonly code: string;
  /** The line on which its code begins. */
  readonly line: number;
}

const root = join(import.meta.dirname, "../..");

/** Pages whose code is compiled: the guide and the README. */
export const pages = [
  "README.md",
  ...readdirSync(join(root, "docs/guide"))
    .filter((name) => name.endsWith(".md"))
    .map((name) => `docs/guide/${name}`),
];

/** Pages whose code is a program that changes from section to section. */
export const migrationPages = readdirSync(join(root, "docs/guide/migrating")).map(
  (name) => `docs/guide/migrating/${name}`,
);

export function textOf(page: string): string {
  return readFileSync(join(root, page), "utf8");
}

export function blocksOf(page: string): Block[] {
  const text = textOf(page);
  return [...text.matchAll(/^```(\w+)\n(.*?)^```$/gms)].map(({ 1: language = "", 2: code = "", index }) => ({
    page,
    language,
    code,
    line: text.slice(0, index).split("\n").length + 1,
  }));
}
