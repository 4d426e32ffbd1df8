import type { Library } from "./vocabulary.js";

/** Versions 3 and 5 are hashes of what they are given, and so stable. */
export const uuid: Library = {
  name: "uuid",
  packages: ["uuid", "@types/uuid"],
  randoms: [{ member: ["v1", "v4", "v6", "v7"], makes: "random UUID" }],
};
