import { Worker } from "bullmq";
import { eq, sql } from "drizzle-orm";
import { randomUUID } from "node:crypto";
import { withTransaction } from "../database.js";
import { tellPartner } from "../partner.js";
import type { PointsJob } from "../points-job.js";
import { pointBalances, pointGrantsByRandomId } from "../schema.js";

new Worker<PointsJob>(
  "points",
  async (job) => {
    const { orderId, customerId, points } = job.data;

    await withTransaction(async (tx) => {
      // A retry makes another id, and so another grant of the same points.
      const id = randomUUID();
      await tx.insert(pointGrantsByRandomId).values({ id, orderId, points });
      await tx
        .update(pointBalances)
        .set({ balance: sql`${pointBalances.balance} + ${points}` })
        .where(eq(pointBalances.customerId, customerId));
    });

    // "Grant again" in the back office is another job with another id, so the partner grants again.
    await tellPartner(job.data, { "Idempotency-Key": `points:${job.id ?? ""}` });
  },
  // The lock is renewed after a minute; it was lost after half of one.
  { connection: { host: "localhost" }, lockDuration: 30_000, lockRenewTime: 60_000 },
);
