import type { Library } from "./vocabulary.js";

export const ksuid: Library = {
  name: "ksuid",
  packages: ["ksuid"],
  randoms: [{ member: ["KSUID.random", "KSUID.randomSync"], makes: "random KSUID" }],
};
