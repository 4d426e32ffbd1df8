import js from "@eslint/js";
import { defineConfig, globalIgnores } from "eslint/config";
import eslintPlugin from "eslint-plugin-eslint-plugin";
import tseslint from "typescript-eslint";

/** Restrictions on what a folder may import. Each wall is one of the sentences of "Walls" in docs/contributing.md. */
const wall = {
  runtimeKnowsNoPlugin: {
    regex: "(/rules/|^eslint-plugin-aftercommit|^eslint|^@eslint/|^@typescript-eslint/|^typescript)",
    message: "src/ never imports the ESLint plugin, nor anything of ESLint.",
  },
  pluginKnowsNoRuntime: {
    regex: "(/src/|^aftercommit(/|$))",
    message: "rules/ never imports the runtime. The plugin knows it as one more catalogue entry.",
  },
  pluginNeedsNoPackage: {
    regex: "^(?!\\.|node:)",
    allowTypeImports: true,
    message: "The plugin has no runtime dependency. Import types only; load `typescript` lazily.",
  },
  catalogueIsData: {
    regex: "^(?!\\./vocabulary\\.js$)",
    message: "A catalogue entry is data: it imports its vocabulary and nothing else.",
  },
  onlyTheWholeCatalogue: {
    regex: "/catalogue/(?!(vocabulary|index)\\.js$)",
    message: "Only the catalogue's index names libraries. Import the index, or the vocabulary's types.",
  },
  coreKnowsNoAdapter: {
    regex: "/(databases/(?!database\\.js$)|queues/(?!queues\\.js$)|locks/(?!(lock-store|ddl)\\.js$)|frameworks/)",
    message: "The core imports no adapter, only the port that adapters implement.",
  },
  adaptersKnowOnlyTheCore: {
    regex:
      "(^\\./(?!(database|queues|json-body|lease|polling-worker|publish-error|rabbitmq-\\w+|lock-store|lock-words|ddl|verify)\\.js$)|/(databases/(?!database\\.js$)|queues/(?!queues\\.js$)|locks/|frameworks/))",
    message: "An adapter imports its library, its port and the core, never another adapter.",
  },
};

/** @param {...(typeof wall)[keyof typeof wall]} patterns */
const walls = (...patterns) => ({ "@typescript-eslint/no-restricted-imports": ["error", { patterns }] });

const plugin = [wall.pluginKnowsNoRuntime, wall.pluginNeedsNoPackage];
const adapters = ["src/databases/**", "src/queues/**", "src/locks/**", "src/frameworks/**"];

export default defineConfig(
  globalIgnores(["**/dist/", "coverage/", "docs/api/", "examples/", "test/rules/fixtures/", "test/types/wrong/"]),
  { linterOptions: { reportUnusedDisableDirectives: "error" } },
  js.configs.recommended,
  {
    files: ["**/*.ts"],
    extends: [tseslint.configs.strictTypeChecked],
    languageOptions: { parserOptions: { projectService: true } },
    rules: {
      "@typescript-eslint/consistent-type-imports": ["error", { fixStyle: "inline-type-imports" }],
      "@typescript-eslint/no-extraneous-class": ["error", { allowWithDecorator: true }],
      "@typescript-eslint/no-unused-vars": ["error", { argsIgnorePattern: "^_", varsIgnorePattern: "^_" }],
      "@typescript-eslint/restrict-template-expressions": ["error", { allowNumber: true }],
      "@typescript-eslint/switch-exhaustiveness-check": ["error", { considerDefaultExhaustiveForUnions: true }],
      eqeqeq: "error",
    },
  },

  { files: ["src/**"], ignores: adapters, rules: walls(wall.runtimeKnowsNoPlugin, wall.coreKnowsNoAdapter) },
  { files: adapters, rules: walls(wall.runtimeKnowsNoPlugin, wall.adaptersKnowOnlyTheCore) },
  { files: ["rules/**/*.ts"], rules: walls(...plugin, wall.onlyTheWholeCatalogue) },
  {
    files: ["rules/catalogue/*.ts"],
    ignores: ["rules/catalogue/index.ts"],
    rules: walls(wall.catalogueIsData),
  },
  { files: ["rules/catalogue/index.ts"], rules: walls(...plugin) },

  {
    files: ["rules/*.ts", "test/rules/**/*.ts"],
    extends: [eslintPlugin.configs.recommended],
    rules: {
      "eslint-plugin/require-meta-docs-description": "error",
      "eslint-plugin/require-meta-docs-url": "error",
      "eslint-plugin/no-property-in-node": "off",
    },
  },
);
