import { expect, test } from "vitest";
import { ConfigurationError } from "../src/errors.js";
import { refuseSecondCopy } from "../src/single-copy.js";

test("a second copy of the package is refused, the first stays usable", () => {
  refuseSecondCopy();
  expect(() => {
    refuseSecondCopy("file:///elsewhere/aftercommit/dist/single-copy.js");
  }).toThrow(ConfigurationError);
  refuseSecondCopy();
});
