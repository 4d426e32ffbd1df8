import { messageOf } from "../errors.js";

/** What an error says in one line: drivers throw some that have a code only (a refused connection of many addresses). */
export function told(error: unknown): string {
  const message = messageOf(error).trim();
  if (message !== "") return message;
  const { code, errors } = error as { code?: unknown; errors?: unknown };
  if (Array.isArray(errors) && errors.length > 0) return told(errors[0]);
  return typeof code === "string" ? code : "an error without a message";
}
