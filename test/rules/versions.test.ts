import { Linter } from "eslint";
import ts from "typescript";
import { expect, test } from "vitest";

test("the rules are tested on the newest versions, and by `npm run test:oldest` on the oldest", () => {
  const isOldest = process.env["AFTERCOMMIT_OLDEST"] !== undefined;
  expect([new Linter().version, ts.version].map((version) => version.split(".")[0])).toEqual(
    isOldest ? ["9", "5"] : ["10", "6"],
  );
});
