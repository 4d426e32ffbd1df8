import { within } from "../time-limit.js";
import type { Seconds } from "../duration.js";
import { AftercommitError, messageOf } from "../errors.js";
import type { LockStore } from "../locks/lock-store.js";
import type { ControlEvent, ControlName } from "./control-events.js";
import { lockKey, type ControlId } from "./lock-key.js";

/** A store that does not answer is one that fails: a worker must not wait for it as long as its lease. */
const patience: Seconds = 2;

/** What the controls of one queue share. */
export interface ControlContext {
  readonly queue: string;
  readonly store: LockStore;
  /** Never throws. */
  readonly tell: (event: ControlEvent) => void;
}

/** The lock store did not answer, and the control says `ifStoreFails: "closed"`. */
export class LockStoreError extends AftercommitError {
  constructor({ queue, store }: Pick<ControlContext, "queue" | "store">, control: ControlName, cause: unknown) {
    super(
      `The lock store (${store.library}) did not answer (${messageOf(cause)}), and \`${control}\` of queue "${queue}" says ` +
        '`ifStoreFails: "closed"`: the job was not sent. Send it again when the store is back; an outbox does.',
      { code: "AFTERCOMMIT_LOCK_STORE", state: "nothing written", cause },
    );
  }
}

interface Control<Payload> {
  readonly id: (payload: Payload) => ControlId;
  readonly ifStoreFails?: "open" | "closed";
}

/** The key of a job in a control. @throws InvalidKeyError, and what `id` throws */
export function keyOf<Payload>(control: ControlName, name: string, { id }: Control<Payload>, payload: Payload): string {
  return lockKey(control, name, id(payload));
}

/** The store's answer; where it fails, `open` for a control that fails open. @throws the failure for one that does not */
export async function answerOr<T>(
  context: ControlContext,
  control: ControlName,
  { ifStoreFails = "open" }: Pick<Control<never>, "ifStoreFails">,
  asking: () => Promise<T>,
  open: T,
): Promise<T> {
  try {
    return await within(patience, `What \`${control}\` asked of ${context.store.library}`, asking());
  } catch (error) {
    context.tell({ what: "store failed", queue: context.queue, control, error });
    if (ifStoreFails === "closed") throw new LockStoreError(context, control, error);
    return open;
  }
}
