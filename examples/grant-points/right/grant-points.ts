import { Worker } from "bullmq";
import { eq, sql } from "drizzle-orm";
import { withTransaction } from "../database.js";
import { tellPartner } from "../partner.js";
import type { PointsJob } from "../points-job.js";
import { pointBalances, pointGrants } from "../schema.js";

new Worker<PointsJob>(
  "points",
  async (job) => {
    const { orderId, customerId, points } = job.data;

    await withTransaction(async (tx) => {
      // The unique constraint decides, in the transaction of the effect: the second run stops here.
      const granted = await tx
        .insert(pointGrants)
        .values({ orderId, reason: "order confirmed", points })
        .onConflictDoNothing()
        .returning();
      if (granted.length === 0) return;

      await tx
        .update(pointBalances)
        .set({ balance: sql`${pointBalances.balance} + ${points}` })
        .where(eq(pointBalances.customerId, customerId));
    });

    // Said again by each retry, counted once: the key is the operation, not the job.
    await tellPartner(job.data, { "Idempotency-Key": `points:${orderId}` });
  },
  { connection: { host: "localhost" }, lockDuration: 30_000, lockRenewTime: 10_000 },
);
