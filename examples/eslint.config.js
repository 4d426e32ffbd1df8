import aftercommit from "eslint-plugin-aftercommit";
import { defineConfig } from "eslint/config";
import tseslint from "typescript-eslint";

export default defineConfig({
  files: ["**/*.ts"],
  extends: [aftercommit.configs.recommended],
  languageOptions: { parser: tseslint.parser, parserOptions: { projectService: true } },
});
