import type { Library } from "./vocabulary.js";

export const openai: Library = {
  name: "OpenAI",
  packages: ["openai"],
  effects: [
    {
      member: [
        "Completions.create",
        "Completions.parse",
        "Completions.stream",
        "Completions.runTools",
        "Responses.create",
        "Responses.parse",
        "Responses.stream",
        "Embeddings.create",
        "Images.generate",
        "Images.edit",
        "Transcriptions.create",
        "Speech.create",
        "Moderations.create",
      ],
      kind: "model",
    },
  ],
  values: {
    Completions: "Chat.completions",
    Chat: ["OpenAI.chat", "*.chat"],
    Responses: ["OpenAI.responses", "*.responses"],
    Embeddings: ["OpenAI.embeddings", "*.embeddings"],
    Images: ["OpenAI.images", "*.images"],
    Moderations: ["OpenAI.moderations", "*.moderations"],
  },
};
