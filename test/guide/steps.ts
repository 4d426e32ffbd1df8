import { textOf } from "./blocks.js";

/** A section of a page that changes a program step by step. */
export interface Step {
  readonly title: string;
  /** The program's files after this section, by their paths. */
  readonly files: ReadonlyMap<string, string>;
  /** What the linter says of it, as the section shows it: `file:line  rule`. */
  readonly reports: string | undefined;
}

/**
 * The sections of a page whose blocks are files: a block begins with a comment that names its file, and replaces the one
 * that an earlier section has shown; "Delete `file`" takes one away.
 */
export function stepsOf(page: string): Step[] {
  const files = new Map<string, string>();
  return textOf(page)
    .split(/^## /m)
    .slice(1)
    .map((section) => {
      for (const [, code = ""] of section.matchAll(/^```(?:ts|prisma)\n(.*?)^```$/gms)) {
        const name = /^\/\/ (\S+\.(?:ts|prisma))\n/.exec(code)?.[1];
        if (name === undefined) throw new Error(`A block of ${page} does not say which file it is: ${code}`);
        files.set(name, code);
      }
      for (const [, name = ""] of section.matchAll(/Delete `(\S+)`/g)) {
        if (!files.delete(name)) throw new Error(`${page} deletes ${name}, which is not there.`);
      }
      return {
        title: section.split("\n", 1)[0] ?? "",
        files: new Map(files),
        reports: /^```text\n(.*?)^```$/ms.exec(section)?.[1],
      };
    });
}
