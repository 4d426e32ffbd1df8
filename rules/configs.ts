import type { ESLint, Linter, Rule } from "eslint";

/** The presets, as flat configs for `extends`. */
export function configsOf(
  plugin: () => ESLint.Plugin,
  rules: Readonly<Record<string, Rule.RuleModule>>,
): Record<"recommended" | "strict" | "all", Linter.Config> {
  const preset = (name: string, levels: readonly string[]): Linter.Config => ({
    name: `aftercommit/${name}`,
    plugins: {
      get aftercommit() {
        return plugin();
      },
    },
    rules: Object.fromEntries(
      Object.entries(rules)
        .filter(([, rule]) => levels.includes(String(rule.meta?.docs?.recommended)))
        .map(([rule]) => [`aftercommit/${rule}`, "error"]),
    ),
  });
  return {
    recommended: preset("recommended", ["recommended"]),
    strict: preset("strict", ["recommended", "strict"]),
    all: preset("all", ["recommended", "strict"]),
  };
}
