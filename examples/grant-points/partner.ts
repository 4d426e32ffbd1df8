/** What is needed to grant points; decided when the order is confirmed, not when the job runs. */
export interface PointGrant {
  readonly orderId: string;
  readonly customerId: number;
  readonly points: number;
}

/** Tells the partner of the bonus programme. Two requests with one `Idempotency-Key` count once. */
export async function tellPartner(
  grant: PointGrant,
  headers: { readonly "Idempotency-Key": string },
  signal: AbortSignal,
): Promise<void> {
  const response = await fetch(process.env["PARTNER_URL"] ?? "https://bonus.example/grants", {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body: JSON.stringify(grant),
    signal,
  });
  if (!response.ok) throw new Error(`the partner answered ${response.status.toString()}`);
}
