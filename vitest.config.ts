import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    exclude: ["**/node_modules/**", "test/rules/fixtures/**", "test/package/**"],
    // The first typed case of a file pays for the whole program of the fixtures (3 s alone, far more on a busy machine).
    testTimeout: 120_000,
    hookTimeout: 120_000,
    // Typed files share one parser cache; two processes fit two cores.
    maxWorkers: 2,
  },
});
