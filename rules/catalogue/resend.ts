import type { Library } from "./vocabulary.js";

const oneDay = "24 hours";
const sends = ["Emails.send", "Emails.create", "Batch.send", "Batch.create", "Batch$1.send", "Batch$1.create"] as const;

export const resend: Library = {
  name: "Resend",
  packages: ["resend"],
  values: { Emails: "Resend.emails", Batch$1: "Resend.batch", Broadcasts: "Resend.broadcasts" },
  effects: [{ member: [...sends, "Broadcasts.send"], kind: "mail" }],
  keys: [{ member: sends, slot: { argument: 1, path: "idempotencyKey" }, role: "idempotency", holds: oneDay }],
};
