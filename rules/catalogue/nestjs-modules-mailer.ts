import type { Library } from "./vocabulary.js";

export const nestjsModulesMailer: Library = {
  name: "@nestjs-modules/mailer",
  packages: ["@nestjs-modules/mailer"],
  effects: [{ member: "MailerService.sendMail", kind: "mail" }],
};
