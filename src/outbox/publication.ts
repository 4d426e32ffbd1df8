import type { ClaimedRow } from "./outbox-row.js";

/** What became of the rows of one claim. */
export interface Publication {
  /** The queue has confirmed them. */
  readonly sent: readonly ClaimedRow[];
  /** Sending them alone has failed. */
  readonly failed: readonly { readonly row: ClaimedRow; readonly error: unknown }[];
  /** Not tried, or not to be sent before a row of the same key that failed. */
  readonly unsent: readonly ClaimedRow[];
  /** Set when nothing went through: it is the queue, not a row, as far as one can tell. */
  readonly down: { readonly error: unknown } | undefined;
}

/** So many failures in a row, and it is the queue. More than it takes to find one bad row among a million. */
const mostFailuresInARow = 25;

/**
 * Sends rows together, and finds out which of them cannot be sent when that fails: a few are tried alone, to tell a bad
 * row from a queue that is down, and if one of them goes through, the rest is halved until the bad ones stand alone.
 * Rows of one key stay in order, and none of them overtakes one that failed.
 *
 * @param rows in order
 * @param send rejects when any of the rows may not have arrived; sending again what has arrived does no harm
 * @param mayGoOn whether there is time left in the claim
 * @param probes how many rows are tried alone, at most, until one goes through
 */
export async function publish(
  rows: readonly ClaimedRow[],
  send: (rows: readonly ClaimedRow[]) => Promise<void>,
  mayGoOn: () => boolean,
  probes: number,
): Promise<Publication> {
  const sent: ClaimedRow[] = [];
  const failed: { row: ClaimedRow; error: unknown }[] = [];
  const done = new Set<ClaimedRow>();
  const heldKeys = new Set<string>();
  let failuresInARow = 0;
  let lastError: unknown;
  let down: { error: unknown } | undefined;

  const isFree = (row: ClaimedRow) =>
    !done.has(row) && (row.message.orderKey === undefined || !heldKeys.has(row.message.orderKey));

  /** Whether they went through. */
  const attempt = async (some: readonly ClaimedRow[]): Promise<boolean> => {
    try {
      await send(some);
    } catch (error) {
      failuresInARow += 1;
      lastError = error;
      const [row] = some;
      if (some.length === 1 && row !== undefined) {
        failed.push({ row, error });
        done.add(row);
        if (row.message.orderKey !== undefined) heldKeys.add(row.message.orderKey);
      }
      if (failuresInARow >= mostFailuresInARow) down = { error };
      return false;
    }
    failuresInARow = 0;
    for (const row of some) {
      sent.push(row);
      done.add(row);
    }
    return true;
  };

  const halve = async (some: readonly ClaimedRow[]): Promise<void> => {
    const free = some.filter(isFree);
    if (free.length === 0 || down !== undefined || !mayGoOn()) return;
    if ((await attempt(free)) || free.length === 1) return;
    const middle = free.length >> 1;
    await halve(free.slice(0, middle));
    await halve(free.slice(middle));
  };

  if (!(await attempt(rows)) && rows.length > 1) {
    const [first] = rows;
    if (first !== undefined && mayGoOn()) await attempt([first]);
    for (let probe = 1; probe < probes && sent.length === 0 && mayGoOn(); probe += 1) {
      const other = anyWithoutKey(rows.filter(isFree));
      if (other === undefined) break;
      await attempt([other]);
    }
    if (sent.length === 0) down = { error: lastError };
    else await halve(rows);
  } else if (sent.length === 0) {
    down = { error: lastError };
  }
  return { sent, failed, unsent: rows.filter((row) => !done.has(row)), down };
}

/** At random, so that it is another one each time: the first rows of the line may all be bad. */
function anyWithoutKey(rows: readonly ClaimedRow[]): ClaimedRow | undefined {
  const free = rows.filter(({ message }) => message.orderKey === undefined);
  return free[Math.floor(Math.random() * free.length)];
}
