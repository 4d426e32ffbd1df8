import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { extname, join } from "node:path";
import type * as eslint from "eslint";
import type { ESLint, Linter, Rule } from "eslint";

import { analyse } from "../analysis/analysis.js";
import { knowledgeFor } from "../settings.js";
import { explain, type Explanation } from "./explanation.js";

/** Where the meaning of the code comes from. */
export type Types =
  | { readonly from: "project" }
  /** Imports and annotations of the file alone; why there is nothing better. */
  | { readonly from: "file alone"; readonly because: string };

export interface ExplainedFile extends Explanation {
  readonly file: string;
  readonly types: Types;
}

type Eslint = typeof eslint;
type Read = readonly [Explanation] | readonly [undefined, problem: string];

/** Explains files as the ESLint, the parser and the settings of the project in a folder see them. */
export class Explainer {
  readonly #cwd: string;
  readonly #eslint: Eslint;
  readonly #parser: Linter.Parser | undefined;

  /** @throws Error where the project has no ESLint */
  constructor(cwd: string) {
    this.#cwd = cwd;
    const loaded = load("eslint", cwd) as Eslint | undefined;
    if (!loaded) throw new Error("ESLint is not installed here; the plugin reads code through it");
    this.#eslint = loaded;
    this.#parser = load("@typescript-eslint/parser", cwd) as Linter.Parser | undefined;
    if (!this.#parser) {
      const all = load("typescript-eslint", cwd) as { readonly parser: Linter.Parser } | undefined;
      this.#parser = all?.parser;
    }
  }

  /** @throws Error where the file cannot be read or parsed */
  async explain(file: string): Promise<ExplainedFile> {
    const text = readFileSync(file, "utf8");
    const settings = await this.#settingsFor(file);
    if (!this.#parser) {
      const because = "typescript-eslint is not installed here";
      if (/^\.[cm]?tsx?$/.test(extname(file))) throw new Error(`${because}, and nothing else parses ${file}`);
      return {
        file,
        types: { from: "file alone", because },
        ...this.#sure(this.#read(file, text, settings, {}), file),
      };
    }
    const parser = this.#parser;
    const [typed, problem = ""] = this.#read(file, text, settings, {
      parser,
      parserOptions: { projectService: true, tsconfigRootDir: this.#cwd },
    });
    if (typed) return { file, types: { from: "project" }, ...typed };
    const untyped = this.#sure(this.#read(file, text, settings, { parser }), file);
    return { file, types: { from: "file alone", because: problem }, ...untyped };
  }

  #sure([explanation, problem = ""]: Read, file: string): Explanation {
    if (!explanation) throw new Error(`${file} cannot be parsed: ${problem}`);
    return explanation;
  }

  #read(file: string, text: string, settings: object, languageOptions: Linter.LanguageOptions): Read {
    let explanation: Explanation | undefined;
    const rule: Rule.RuleModule = {
      create: (context) => ({
        "Program:exit"() {
          const analysis = analyse(context.sourceCode as never, context.filename, knowledgeFor(context.settings));
          explanation = explain(analysis);
        },
      }),
    };
    const linter = new this.#eslint.Linter({ cwd: this.#cwd });
    const messages = linter.verify(
      text,
      {
        files: ["**/*.{ts,tsx,mts,cts,js,jsx,mjs,cjs}"],
        languageOptions,
        plugins: { aftercommit: { rules: { explain: rule } } },
        rules: { "aftercommit/explain": "error" },
        settings: settings as Linter.Config["settings"] & object,
      },
      { filename: file, allowInlineConfig: false },
    );
    if (explanation) return [explanation];
    return [undefined, messages[0]?.message.split("\n")[0]?.replace(/^Parsing error: /, "") ?? "its kind is not known"];
  }

  /** `settings` of the project's own configuration, where it has one. */
  async #settingsFor(file: string): Promise<object> {
    try {
      const linter: ESLint = new this.#eslint.ESLint({ cwd: this.#cwd });
      const config = (await linter.calculateConfigForFile(file)) as { readonly settings?: object } | undefined;
      return config?.settings ?? {};
    } catch {
      return {};
    }
  }
}

/** A package as the project has it, else as the plugin has it beside itself. */
function load(name: string, cwd: string): unknown {
  for (const from of [join(cwd, "package.json"), import.meta.url]) {
    try {
      return createRequire(from)(name);
    } catch {
      continue;
    }
  }
  return undefined;
}
