import { afterCommit, defineConnection, type Effects, type ReviewedService } from "aftercommit";
import { bullmqQueues } from "aftercommit/queues/bullmq";
import { Redis } from "ioredis";
import { z } from "zod";

/** The services as the processes of a test know them. */
export function services(effects: Effects) {
  return {
    keyed: effects.service("payments", { timeout: 0.8, keysKeptFor: 3600 }),
    keyless: effects.service("carrier", { timeout: 0.8 }),
  };
}

/** The queue of jobs that have a parcel booked. */
export function defineParcels(prefix: string, service: ReviewedService) {
  const connection = new Redis({ host: "127.0.0.1", maxRetriesPerRequest: null });
  return defineConnection({ queues: bullmqQueues({ connection, prefix }), retryAfter: 1.2 }).queue("parcels", {
    payload: z.object({ orderId: z.number(), street: z.string() }),
    timeout: 1,
    tries: 5,
    repeatSafety: { by: "review", service },
    delivery: afterCommit(),
  });
}
