import { randomUUID } from "node:crypto";
import { idempotencyKey, type JobId } from "../../../src/index.js";

declare const jobId: JobId;
declare const order: { readonly id?: string; readonly deletedAt: Date | null };

// ✗ A job's id is another one each time the operation is asked for. Use an id of the business, such as that of the order.
idempotencyKey("ship", jobId);
// ✗ A random UUID is another one in each attempt. Use an id that was stored when the operation was accepted.
idempotencyKey("ship", randomUUID());
// ✗ A Date has no one text. Use the business day as text (2026-11-30), decided when the operation was accepted.
idempotencyKey("ship", new Date());
// ✗ A part that is missing gives many operations the same key. Check it before.
idempotencyKey("ship", order.id);
// ✗ A part that is missing gives many operations the same key. Check it before.
idempotencyKey("ship", "7", null);
// ✗ A part of a key must be a string, a number or a bigint.
idempotencyKey("ship", { id: 7 });
// ✗ Expected at least 2 arguments, but got 1.
idempotencyKey("ship");
