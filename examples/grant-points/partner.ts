import type { PointsJob } from "./points-job.js";

/** Tells the partner of the bonus programme. Two requests with one `Idempotency-Key` count once. */
export async function tellPartner(grant: PointsJob, headers: { readonly "Idempotency-Key": string }): Promise<void> {
  const response = await fetch("https://bonus.example/grants", {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body: JSON.stringify(grant),
    signal: AbortSignal.timeout(10_000),
  });
  if (!response.ok) throw new Error(`the partner answered ${response.status.toString()}`);
}
