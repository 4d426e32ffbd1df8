import { causesOf } from "../errors.js";

/** Errors of looking up a name and of opening a connection, before which no byte of a request has left. */
const beforeConnection = new Set([
  ...["ECONNREFUSED", "ENOTFOUND", "EAI_AGAIN", "EAI_FAIL", "EAI_NODATA", "EAI_NONAME"],
  // undici, which is `fetch` of Node.
  "UND_ERR_CONNECT_TIMEOUT",
]);
const lookups = new Set(["connect", "getaddrinfo"]);

/**
 * Whether an error says that the request has not left this machine (EX-07). Only what is certain: a connection that was
 * cut may have carried the request.
 */
export function nothingWasSent(error: unknown): boolean {
  for (const cause of causesOf(error)) {
    const { code, syscall } = cause as { readonly code?: unknown; readonly syscall?: unknown };
    if (typeof code === "string" && beforeConnection.has(code)) return true;
    if (typeof syscall === "string" && lookups.has(syscall)) return true;
  }
  return false;
}
