import type { Library } from "./vocabulary.js";

export const zod: Library = {
  name: "Zod",
  packages: ["zod"],
  passedOn: [{ member: ["ZodType.safeParse", "ZodType.safeParseAsync"], argument: 0, as: "data" }],
};
