import { format } from "prettier";

/** @type {import("eslint-doc-generator").GenerateOptions} */
export default {
  pathRuleDoc: "../docs/rules/{name}.md",
  pathRuleList: ["README.md"],
  ruleDocTitleFormat: "name",
  ruleDocSectionInclude: ["Scope and limits", "When not to use it"],
  ignoreConfig: ["all"],
  postprocess: (content) => format(content, { parser: "markdown", printWidth: 120 }),
};
