import type { Library } from "./vocabulary.js";

export const sendgrid: Library = {
  name: "@sendgrid/mail",
  packages: ["@sendgrid/mail"],
  values: { MailService: "default" },
  effects: [{ member: ["MailService.send", "MailService.sendMultiple"], kind: "mail" }],
};
