export interface Parcel {
  readonly shipmentId: string;
  readonly orderId: string;
}

/** Books a parcel at a carrier, which takes the same `shipmentId` as the same parcel. */
export async function bookParcel(parcel: Parcel, signal: AbortSignal): Promise<string> {
  const url = process.env["CARRIER_URL"] ?? "https://carrier.example/parcels";
  const response = await post(url, parcel, {}, signal);
  return ((await response.json()) as { trackingCode: string }).trackingCode;
}

/** Mails the customer that the order is on its way. Two requests with one `Idempotency-Key` are one mail. */
export async function mailCustomer(
  mail: { readonly orderId: string; readonly trackingCode: string },
  headers: { readonly "Idempotency-Key": string },
  signal: AbortSignal,
): Promise<void> {
  await post(process.env["MAILS_URL"] ?? "https://mails.example/send", mail, headers, signal);
}

async function post(
  url: string,
  body: unknown,
  headers: Readonly<Record<string, string>>,
  signal: AbortSignal,
): Promise<Response> {
  const response = await fetch(url, {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body: JSON.stringify(body),
    signal,
  });
  if (!response.ok) throw new Error(`${url} answered ${response.status.toString()}`);
  return response;
}
