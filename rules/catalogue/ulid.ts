import type { Library } from "./vocabulary.js";

export const ulid: Library = {
  name: "ulid and ulidx",
  packages: ["ulid", "ulidx"],
  randoms: [
    { member: ["ulid", "ULID.()", "ULIDFactory.()"], makes: "random ULID" },
    { member: ["monotonicFactory", "factory"], makes: "random ULID", returnsFunction: true },
  ],
};
