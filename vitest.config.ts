import { createRequire } from "node:module";
import { join } from "node:path";
import { defineConfig } from "vitest/config";

const src = join(import.meta.dirname, "src");

/** Where `npm run test:oldest` has installed the oldest versions that the plugin supports. */
const oldest = process.env["AFTERCOMMIT_OLDEST"];
const inOldest = oldest === undefined ? undefined : createRequire(`${oldest}/`);

/** `npm run test:native`. */
const isNative = process.env["AFTERCOMMIT_NATIVE"] !== undefined;
const apart = ["**/node_modules/**", "test/rules/fixtures/**", "test/package/**"];

export default defineConfig({
  resolve: {
    alias: [
      // The examples import the package by its name; a second copy beside the sources would be refused.
      { find: /^aftercommit$/, replacement: join(src, "index.ts") },
      { find: /^aftercommit\/(.+)$/, replacement: join(src, "$1.ts") },
      ...(inOldest
        ? ["eslint", "typescript", "typescript-eslint", "@typescript-eslint/parser"].map((name) => ({
            find: new RegExp(`^${name}$`),
            replacement: inOldest.resolve(name),
          }))
        : []),
    ],
  },
  test: {
    projects: [
      // One process reads the types of the libraries once, for all test files. The native back end reads the cases from the
      // disk, those of other test files as well.
      { extends: true, test: { name: "rules", include: ["test/rules/**/*.test.ts"], isolate: isNative } },
      {
        extends: true,
        test: { name: "runtime", include: ["test/**/*.test.ts"], exclude: ["test/rules/**", ...apart] },
      },
    ],
    exclude: apart,
    // The first typed case of a process pays for the whole program of the fixtures (3 s alone, far more on a busy machine).
    testTimeout: 120_000,
    hookTimeout: 120_000,
    // Two processes fit two cores.
    maxWorkers: 2,
  },
});
