import type { Library } from "./vocabulary.js";

export const nodemailer: Library = {
  name: "Nodemailer",
  packages: ["nodemailer", "@types/nodemailer"],
  values: { Mail: ["createTransport()", "*.createTransport()"] },
  effects: [{ member: ["Mail.sendMail", "Transporter.sendMail"], kind: "mail" }],
};
