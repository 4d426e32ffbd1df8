import type { Executor } from "./databases/database.js";

export type Effect = () => unknown;

/** Does something with all items at once. The function itself says which items belong together. */
export type Batch<Item> = (items: readonly Item[]) => Promise<void>;

/** Writes all items in the transaction. The function itself says which items belong together. */
export type WriteBatch<Item> = (items: readonly Item[], executor: Executor) => Promise<void>;

interface Staged<Group> {
  /** When it was staged, counted over all frames. */
  readonly turn: number;
  readonly group: Group;
  readonly item: unknown;
}

const alone = Symbol("alone");
type AfterCommitGroup = Batch<unknown> | typeof alone;

let turns = 0;

/** What one savepoint frame has staged. It goes to the enclosing frame when the frame ends well, and nowhere else. */
export class StagedWork {
  readonly #writes: Staged<WriteBatch<unknown>>[] = [];
  readonly #commitEffects: Staged<AfterCommitGroup>[] = [];
  /** Those of frames that have ended inside this one, in the order in which they ended. */
  readonly #innerCommitEffects: Staged<AfterCommitGroup>[] = [];
  readonly #rollbackEffects: Effect[] = [];

  beforeCommit<Item>(batch: WriteBatch<Item>, item: Item): void {
    this.#writes.push({ turn: (turns += 1), group: batch as WriteBatch<unknown>, item });
  }

  afterCommit(effect: Effect): void {
    this.#commitEffects.push({ turn: (turns += 1), group: alone, item: effect });
  }

  afterCommitTogether<Item>(batch: Batch<Item>, item: Item): void {
    this.#commitEffects.push({ turn: (turns += 1), group: batch as Batch<unknown>, item });
  }

  afterRollback(effect: Effect): void {
    this.#rollbackEffects.push(effect);
  }

  absorb(inner: StagedWork): void {
    for (const write of inner.#writes) this.#writes.push(write);
    for (const effect of inner.#inOrder("inner first")) this.#innerCommitEffects.push(effect);
    for (const effect of inner.#rollbackEffects) this.#rollbackEffects.push(effect);
  }

  async write(executor: Executor): Promise<void> {
    for (const [batch, items] of together(this.#writes.sort(byTurn))) await batch(items, executor);
  }

  /** Runs every effect, one after the other; returns what they threw (TX-08). */
  async runCommitEffects(order: "registration" | "inner first"): Promise<unknown[]> {
    const errors: unknown[] = [];
    for (const [group, items] of together(this.#inOrder(order))) {
      try {
        await (group === alone ? (items[0] as Effect)() : group(items));
      } catch (error) {
        errors.push(error);
      }
    }
    // Whoever still holds the scope, such as a timer that was started in it, must not hold all this.
    this.#writes.length = this.#commitEffects.length = this.#innerCommitEffects.length = 0;
    return errors;
  }

  #inOrder(order: "registration" | "inner first"): readonly Staged<AfterCommitGroup>[] {
    if (this.#innerCommitEffects.length === 0) return this.#commitEffects;
    const effects = [...this.#innerCommitEffects, ...this.#commitEffects];
    return order === "registration" ? effects.sort(byTurn) : effects;
  }

  async runRollbackEffects(): Promise<unknown[]> {
    const errors: unknown[] = [];
    for (const effect of this.#rollbackEffects.reverse()) {
      try {
        await effect();
      } catch (error) {
        errors.push(error);
      }
    }
    return errors;
  }
}

function byTurn(a: { readonly turn: number }, b: { readonly turn: number }): number {
  return a.turn - b.turn;
}

/** Gathers the items of each group at the place of its first item; what stands alone stays alone. */
function together<Group>(staged: readonly Staged<Group>[]): [Group, unknown[]][] {
  const gathered: [Group, unknown[]][] = [];
  const places = new Map<Group, unknown[]>();
  for (const { group, item } of staged) {
    const place = group === alone ? undefined : places.get(group);
    if (place !== undefined) {
      place.push(item);
      continue;
    }
    const items = [item];
    gathered.push([group, items]);
    places.set(group, items);
  }
  return gathered;
}
