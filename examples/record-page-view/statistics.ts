export interface PageView {
  /** Made once, when the view is accepted. */
  readonly eventId: string;
  readonly page: string;
  /** The day of the view, in the time zone of the site; not the day on which a worker gets to it. */
  readonly day: string;
}

/** Sends a view to a statistics service, which answers a request with a known `Idempotency-Key` as before. */
export async function sendToStatistics(
  view: PageView,
  headers: { readonly "Idempotency-Key": string },
  signal: AbortSignal,
): Promise<void> {
  const response = await fetch(process.env["STATISTICS_URL"] ?? "https://statistics.example/views", {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body: JSON.stringify(view),
    signal,
  });
  if (!response.ok) throw new Error(`the statistics service answered ${response.status.toString()}`);
}
