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
    Chat: "OpenAI.chat",
    Responses: "OpenAI.responses",
    Embeddings: "OpenAI.embeddings",
    Images: "OpenAI.images",
    Moderations: "OpenAI.moderations",
  },
};
