/** Lints a folder once with one set of rules, and prints what it cost. Started by `lint.ts`, a process a run. */
import { ESLint, type Linter } from "eslint";
import aftercommit from "eslint-plugin-aftercommit";
import tseslint from "typescript-eslint";

type Rules = Partial<Linter.RulesRecord>;

const [folder = ".", set = "none", ...patterns] = process.argv.slice(2);

const family = aftercommit.configs.all.rules ?? {};
/** The rules that the plugin began with; the targets are stated for them, and doubled for the whole family. */
const four: Rules = Object.fromEntries(
  [
    "no-dispatch-in-transaction",
    "no-random-id-in-handler",
    "no-job-id-as-idempotency-key",
    "require-timeout-below-retry-after",
  ].map((name) => [`aftercommit/${name}`, "error"]),
);
const recommended = Object.assign(
  {},
  ...tseslint.configs.recommendedTypeChecked.map((config) => config.rules ?? {}),
) as Rules;
const floating: Rules = { "@typescript-eslint/no-floating-promises": "error" };

const rules: Record<string, Rules> = {
  none: {},
  "no types": {},
  "four without types": four,
  "family without types": family,
  four,
  family,
  "no-floating-promises": floating,
  recommendedTypeChecked: recommended,
  "recommendedTypeChecked and four": { ...recommended, ...four },
  "recommendedTypeChecked and family": { ...recommended, ...family },
};

const eslint = new ESLint({
  cwd: folder,
  overrideConfigFile: true,
  allowInlineConfig: false,
  stats: true,
  overrideConfig: {
    files: ["**/*.ts"],
    languageOptions: {
      parser: tseslint.parser,
      parserOptions: set.endsWith("types") ? {} : { projectService: true, tsconfigRootDir: folder },
    },
    plugins: { aftercommit, "@typescript-eslint": tseslint.plugin },
    rules: rules[set] ?? {},
  },
});

const results = await eslint.lintFiles(patterns.length > 0 ? patterns : ["**/*.ts"]);
const { userCPUTime, maxRSS } = process.resourceUsage();
const found = results.reduce(
  (sum, result) => sum + result.messages.filter((message) => message.ruleId?.startsWith("aftercommit/")).length,
  0,
);
const rulesMs = results
  .flatMap(({ stats }) => stats?.times.passes ?? [])
  .flatMap((pass) => Object.values(pass.rules ?? {}))
  .reduce((sum, { total }) => sum + total, 0);
console.log(JSON.stringify({ cpu: userCPUTime / 1e6, memory: maxRSS / 1024, files: results.length, found, rulesMs }));
