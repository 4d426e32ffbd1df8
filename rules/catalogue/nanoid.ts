import type { Library } from "./vocabulary.js";

export const nanoid: Library = {
  name: "Nano ID",
  packages: ["nanoid"],
  randoms: [
    { member: "nanoid", makes: "random id" },
    { member: ["customAlphabet", "customRandom"], makes: "random id", returnsFunction: true },
    { member: "random", makes: "random bytes" },
  ],
};
