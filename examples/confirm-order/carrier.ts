/** Books a parcel at a carrier which takes the same `shipmentId` as the same parcel. */
export async function bookParcel(
  parcel: { readonly shipmentId: string; readonly orderId: string },
  signal: AbortSignal,
): Promise<string> {
  const response = await fetch("https://carrier.example/parcels", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(parcel),
    signal,
  });
  if (!response.ok) throw new Error(`the carrier answered ${response.status.toString()}`);
  return ((await response.json()) as { trackingCode: string }).trackingCode;
}
