import type { PageView } from "./database.js";

/** Sends a view to a statistics service, which counts an `eventId` once, and answers a request with a known key as before. */
export async function sendToStatistics(view: PageView, headers: { "Idempotency-Key": string }): Promise<void> {
  const response = await fetch("https://statistics.example/views", {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body: JSON.stringify(view),
    signal: AbortSignal.timeout(5_000),
  });
  if (!response.ok) throw new Error(`the statistics service answered ${response.status.toString()}`);
}
