import type { JobId } from "../job-id.js";
import type { Message } from "./queues.js";

/** A message as it stands in a queue, readable in its dashboards; without its id, for which queues have a place. */
export interface JsonBody {
  readonly payload: unknown;
  readonly occurredAt: string;
  readonly meta?: Readonly<Record<string, string>>;
  readonly generation?: number;
}

export function bodyOf({ payload, occurredAt, meta, generation }: Message): JsonBody {
  return {
    payload: JSON.parse(payload) as unknown,
    occurredAt: occurredAt.toISOString(),
    ...(meta === undefined ? {} : { meta }),
    ...(generation === undefined ? {} : { generation }),
  };
}

/**
 * @param body a job that something else has put into the queue need not have any of it; its payload then fails its schema
 * @param sentAt when that job has no time of its own, in milliseconds
 */
export function messageOf(id: string, body: unknown, sentAt: number): Message {
  const { payload, occurredAt, meta, generation } = (body ?? {}) as Partial<JsonBody>;
  return {
    id: id as JobId,
    payload: JSON.stringify(payload ?? null),
    occurredAt: new Date(occurredAt ?? sentAt),
    ...(meta === undefined ? {} : { meta }),
    ...(generation === undefined ? {} : { generation }),
  };
}
