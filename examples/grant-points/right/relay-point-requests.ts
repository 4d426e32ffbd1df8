import { Queue } from "bullmq";
import { asc, eq, isNull } from "drizzle-orm";
import { db } from "../database.js";
import type { PointsJob } from "../points-job.js";
import { pointRequests } from "../schema.js";

const queue = new Queue<PointsJob>("points", { connection: { host: "localhost" } });

export async function relayPointRequests(): Promise<void> {
  const requests = await db
    .select()
    .from(pointRequests)
    .where(isNull(pointRequests.dispatchedAt))
    .orderBy(asc(pointRequests.id))
    .limit(100);

  for (const { id, orderId, customerId, points } of requests) {
    await queue.add("grant-points", { orderId, customerId, points });
    await db.update(pointRequests).set({ dispatchedAt: new Date() }).where(eq(pointRequests.id, id));
  }
}
