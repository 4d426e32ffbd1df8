import type { Library } from "./vocabulary.js";

export const nodeFs: Library = {
  name: "node:fs",
  packages: ["node:fs", "node:fs/promises", "@types/node", "fs-extra"],
  importedFrom: ["fs", "fs/promises"],
  objects: [{ member: ["writeFile", "writeFileSync", "createWriteStream"], slot: { argument: 0 }, isLocal: true }],
};
