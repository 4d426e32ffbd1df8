import type { Library } from "./vocabulary.js";

export const cuid: Library = {
  name: "cuid and cuid2",
  packages: ["cuid", "@paralleldrive/cuid2"],
  randoms: [
    { member: ["cuid", "default", "cuid.slug", "createId"], makes: "random id" },
    { member: "init", makes: "random id", returnsFunction: true },
  ],
};
