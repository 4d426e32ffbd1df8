import type { ESLint, Linter } from "eslint";
import { version } from "./version.js";

type Plugin = ESLint.Plugin & { configs: Record<"recommended" | "strict" | "all", Linter.Config> };

const plugin: Plugin = {
  meta: { name: "eslint-plugin-aftercommit", version, namespace: "aftercommit" },
  rules: {},
  configs: { recommended: config("recommended"), strict: config("strict"), all: config("all") },
};

function config(name: string): Linter.Config {
  return {
    name: `aftercommit/${name}`,
    plugins: {
      get aftercommit() {
        return plugin;
      },
    },
  };
}

export default plugin;
// What `require("eslint-plugin-aftercommit")` returns.
export { plugin as "module.exports" };
