import { defineConfig } from "vitest/config";

/** The packed packages in projects of their own. Apart from the other tests, because it installs from the registry. */
export default defineConfig({
  test: {
    include: ["test/package/**/*.test.ts"],
    testTimeout: 120_000,
    hookTimeout: 600_000,
    maxWorkers: 2,
  },
});
