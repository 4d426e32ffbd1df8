import type { Library } from "./vocabulary.js";

export const postmark: Library = {
  name: "Postmark",
  packages: ["postmark"],
  effects: [
    {
      member: [
        "ServerClient.sendEmail",
        "ServerClient.sendEmailBatch",
        "ServerClient.sendEmailWithTemplate",
        "ServerClient.sendEmailBatchWithTemplates",
      ],
      kind: "mail",
    },
  ],
};
