import type { Seconds } from "./duration.js";

/** Waits for a promise, but not for ever. What it settles to later is dropped. */
export async function within<T>(limit: Seconds, what: string, promise: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      reject(new Error(`${what} was not confirmed within ${limit} s`));
    }, limit * 1000);
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}
