/** Runs `handle` with a signal that aborts when the lease ends, `leaseEnd` in milliseconds. */
export async function underLease<T>(leaseEnd: number, handle: (leaseLost: AbortSignal) => Promise<T>): Promise<T> {
  const lease = new AbortController();
  const timer = setTimeout(
    () => {
      lease.abort();
    },
    Math.max(leaseEnd - Date.now(), 0),
  );
  try {
    return await handle(lease.signal);
  } finally {
    clearTimeout(timer);
  }
}
