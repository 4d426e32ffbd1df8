import { refused, type CallOf, type Refusal } from "aftercommit";

export interface Parcel {
  readonly orderId: number;
  readonly street: string;
}
export interface Booked {
  readonly parcel: number;
}

/** Books a parcel, as a program would: a clear answer is returned, everything else is thrown. */
export function bookAt(url: string, options: { readonly withKey: boolean }) {
  return async ({ key, request, signal }: CallOf<Parcel>): Promise<Booked | Refusal> => {
    const response = await fetch(url, {
      method: "POST",
      headers: options.withKey ? { "idempotency-key": key } : {},
      body: JSON.stringify(request),
      signal,
    });
    if (response.status === 422) return refused(await response.text());
    if (!response.ok) throw new Error(`the carrier has answered ${response.status.toString()}`);
    return (await response.json()) as Booked;
  };
}
