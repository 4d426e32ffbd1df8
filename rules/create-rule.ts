import type { TSESLint } from "@typescript-eslint/utils";

import { analyse, type FileAnalysis } from "./analysis/analysis.js";
import { knowledgeFor } from "./settings.js";

/** A rule of the plugin: what it says, and what it looks for in the analysed file. */
interface RuleDefinition<MessageIds extends string, Options extends readonly unknown[]> {
  readonly name: string;
  readonly description: string;
  readonly messages: Readonly<Record<MessageIds, string>>;
  readonly schema: TSESLint.RuleMetaData<MessageIds>["schema"];
  readonly defaultOptions: Options;
  readonly hasSuggestions?: boolean;
  readonly recommended: "recommended" | "strict";
  /** Looks for what the rule is about; called once for a file. `active` names the rules that look at it too. */
  readonly check: (
    analysis: FileAnalysis,
    report: Report<MessageIds>,
    options: Options,
    active: ReadonlySet<string>,
  ) => void;
}

export interface Finding<MessageIds extends string> {
  readonly node: { readonly start: number; readonly end: number };
  readonly messageId: MessageIds;
  readonly data: Readonly<Record<string, string>>;
  readonly suggest?: readonly {
    readonly messageId: MessageIds;
    readonly data?: Readonly<Record<string, string>>;
    /** Replacements of ranges of the file. */
    readonly edits: readonly { readonly start: number; readonly end: number; readonly text: string }[];
  }[];
}

export type Report<MessageIds extends string> = (finding: Finding<MessageIds>) => void;

/** The rules that are on for a file. All are created before the first of them is run, so that each knows of the others. */
const active = new WeakMap<object, Set<string>>();

function activeIn(sourceCode: object): Set<string> {
  let names = active.get(sourceCode);
  if (!names) active.set(sourceCode, (names = new Set<string>()));
  return names;
}

/** Makes a rule of ESLint: one pass over the analysed file, after it was parsed. */
export function createRule<MessageIds extends string, Options extends readonly unknown[]>(
  definition: RuleDefinition<MessageIds, Options>,
): Omit<TSESLint.RuleModule<MessageIds, Options>, "defaultOptions"> {
  return {
    meta: {
      type: "problem",
      docs: {
        description: definition.description,
        url: `https://github.com/aftercommit/aftercommit/blob/main/docs/rules/${definition.name}.md`,
        ...({ recommended: definition.recommended } as object),
      },
      messages: definition.messages,
      schema: definition.schema,
      defaultOptions: [...definition.defaultOptions] as never,
      ...(definition.hasSuggestions ? { hasSuggestions: true } : {}),
    },
    create(context) {
      const knowledge = knowledgeFor(context.settings);
      activeIn(context.sourceCode).add(definition.name);
      return {
        "Program:exit"() {
          const { sourceCode } = context;
          const analysis = analyse(sourceCode, context.filename, knowledge);
          const options = context.options.length > 0 ? context.options : definition.defaultOptions;
          const check = () => {
            definition.check(
              analysis,
              ({ node, messageId, data, suggest }) => {
                context.report({
                  loc: { start: sourceCode.getLocFromIndex(node.start), end: sourceCode.getLocFromIndex(node.end) },
                  messageId,
                  data: { ...data },
                  ...(suggest
                    ? {
                        suggest: suggest.map((suggestion) => ({
                          messageId: suggestion.messageId,
                          data: { ...suggestion.data },
                          fix: (fixer: TSESLint.RuleFixer) =>
                            suggestion.edits.map((edit) => fixer.replaceTextRange([edit.start, edit.end], edit.text)),
                        })),
                      }
                    : {}),
                });
              },
              options,
              activeIn(sourceCode),
            );
          };
          try {
            check();
          } catch (error) {
            // code nested deeper than the stack reaches: nothing can be said of it
            if (!(error instanceof RangeError)) throw error;
          }
        },
      };
    },
  };
}
