import type { Library } from "./vocabulary.js";

export const ai: Library = {
  name: "AI SDK (ai)",
  packages: ["ai"],
  effects: [
    {
      member: ["generateText", "streamText", "generateObject", "streamObject", "embed", "embedMany", "generateImage"],
      kind: "model",
    },
  ],
};
