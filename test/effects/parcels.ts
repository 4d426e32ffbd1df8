import { afterCommit, defineConnection, type Effects, type ReviewedService } from "aftercommit";
import { bullmqQueues } from "aftercommit/queues/bullmq";
import { Redis } from "ioredis";
import { z } from "zod";

/**
 * The services as the processes of a test know them.
 *
 * @param timeout of a call; the record of a process that died is put up for review after it
 */
export function services(effects: Effects, timeout: number) {
  return {
    keyed: effects.service("payments", { timeout, keysKeptFor: 3600 }),
    keyless: effects.service("carrier", { timeout }),
  };
}

/** Of the processes that are killed. */
export const shortTime = 1.5;

/** The queue of jobs that have a parcel booked. */
export function defineParcels(prefix: string, service: ReviewedService) {
  const connection = new Redis({ host: "127.0.0.1", maxRetriesPerRequest: null });
  return defineConnection({ queues: bullmqQueues({ connection, prefix }), retryAfter: 2.5 }).queue("parcels", {
    payload: z.object({ orderId: z.number(), street: z.string() }),
    timeout: 2,
    tries: 5,
    repeatSafety: { by: "review", service },
    delivery: afterCommit(),
  });
}
