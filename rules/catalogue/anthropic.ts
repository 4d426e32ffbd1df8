import type { Library } from "./vocabulary.js";

export const anthropic: Library = {
  name: "Anthropic",
  packages: ["@anthropic-ai/sdk"],
  values: { Messages: ["Anthropic.messages", "*.messages"], Batches: "Messages.batches" },
  effects: [{ member: ["Messages.create", "Messages.stream", "Batches.create"], kind: "model" }],
};
