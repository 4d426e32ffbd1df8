import type { Seconds } from "../duration.js";
import type { JobId } from "../job-id.js";

/**
 * What is known of the jobs of one debounce id. The transitions are here, without a clock and without a store, so that
 * they can be tried in every order.
 *
 * What they keep, whatever is lost or comes twice:
 * - a job is dropped only for one that is later, is in the queue, and has not begun; or because a run has begun since it
 *   was asked for. So after each request some run begins.
 * - which of two is later is decided by their ids, and never by the order in which they arrive: a job that a relay sends
 *   once more takes no one's place.
 * - an id that lies in the past because of a wrong clock is not taken for old once a run has begun: the count of runs
 *   decides then. (Only a wrong clock and a relay that sends a job once more after it has run can, together, drop one.)
 */
export interface DebounceRecord {
  /** How many runs have begun. A job carries what it was when it was sent. */
  readonly generation: number;
  /** The latest job that its queue has confirmed. */
  readonly latest: JobId;
  /** `latest` has begun to run. */
  readonly begun: boolean;
  /** When the first job was sent since a run began, in milliseconds. */
  readonly since: number;
  /** A job that runs even if a later one comes: its time was up (DB-07). */
  readonly due?: JobId;
}

export interface Sending {
  readonly delay: Seconds;
  /** To be carried by the job. */
  readonly generation: number;
  /** It is to run even if a later one comes. */
  readonly due: boolean;
  /** Nothing was known of the id. */
  readonly first: boolean;
}

/** How long a job that is sent now has to wait. */
export function sending(
  record: DebounceRecord | undefined,
  nowMs: number,
  quiet: Seconds,
  maxWait: Seconds | undefined,
): Sending {
  const { generation, first } = { generation: record?.generation ?? 0, first: record === undefined };
  if (record === undefined || record.begun || maxWait === undefined || record.due !== undefined) {
    return { delay: quiet, generation, first, due: false };
  }
  const rest = Math.max((record.since - nowMs) / 1000 + maxWait, 0);
  return rest <= quiet
    ? { delay: rest, generation, first, due: true }
    : { delay: quiet, generation, first, due: false };
}

/** The queue has confirmed a job. `undefined` where that changes nothing. */
export function sent(
  record: DebounceRecord | undefined,
  id: JobId,
  { generation, due, first }: Sending,
  nowMs: number,
): DebounceRecord | undefined {
  // The store has lost what it knew: who was sent since then is not to be taken for older.
  if (record === undefined && !first) return undefined;
  if (record === undefined) return { generation, latest: id, begun: false, since: nowMs };
  if (record.begun) {
    // It may have begun itself, or been dropped, before this confirmation was here.
    const isOver = record.latest === id || (id < record.latest && generation < record.generation);
    if (isOver || generation < record.generation - 1) return undefined;
    return { generation: record.generation, latest: id, begun: false, since: nowMs };
  }
  if (generation < record.generation) return undefined;
  const mark = due ? { due: id } : {};
  const next = { ...mark, ...record, latest: id > record.latest ? id : record.latest };
  return next.latest === record.latest && next.due === record.due ? undefined : next;
}

/** The job because of which this one need not run, if any. */
export function supersededBy(
  record: DebounceRecord | undefined,
  id: JobId,
  generation: number | undefined,
): JobId | undefined {
  if (record === undefined || id >= record.latest || id === record.due) return undefined;
  // What carries no generation is of a queue that does not let it travel.
  const { generation: present } = record;
  return (generation ?? present) < present || !record.begun ? record.latest : undefined;
}

/** A job that is not superseded begins to run. `undefined` where that changes nothing. */
export function begun(
  record: DebounceRecord | undefined,
  id: JobId,
  generation: number | undefined,
  nowMs: number,
): DebounceRecord | undefined {
  if (record === undefined) return { generation: (generation ?? 0) + 1, latest: id, begun: true, since: nowMs };
  const next = record.generation + 1;
  if (id === record.latest) {
    return record.begun ? undefined : { generation: next, latest: id, begun: true, since: record.since };
  }
  if (id === record.due) return { generation: next, latest: record.latest, begun: false, since: nowMs };
  // Taken before the queue's confirmation was here, or with an id that lies in the past.
  return { generation: next, latest: id, begun: true, since: record.since };
}
