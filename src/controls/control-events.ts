import type { Seconds } from "../duration.js";
import type { JobId } from "../job-id.js";

/** Which of a queue's controls. */
export type ControlName = "unique" | "debounce" | "withoutOverlapping" | "rateLimit" | "throttleErrors";

/** Something that a control has done, or could not do. */
export type ControlEvent =
  /** The job was not sent, because `existing` waits or runs (UQ-01); none where that had just ended. */
  | { readonly what: "deduplicated"; readonly queue: string; readonly id: JobId; readonly existing: JobId | undefined }
  /** The job does not run, because `by` was asked for later (DB-04). Told when a worker takes it, or at the sending. */
  | { readonly what: "superseded"; readonly queue: string; readonly id: JobId; readonly by: JobId }
  /** The job may not run now, and waits so long. That start does not count among its `tries`. */
  | {
      readonly what: "postponed";
      readonly queue: string;
      readonly id: JobId;
      readonly control: ControlName;
      readonly delay: Seconds;
    }
  /** The job may not run now, and never will: `otherwise: "skip"` (WO-05). */
  | { readonly what: "skipped"; readonly queue: string; readonly id: JobId; readonly control: ControlName }
  /** The lock store did not answer. What happens then is what the control's `ifStoreFails` says. */
  | { readonly what: "store failed"; readonly queue: string; readonly control: ControlName; readonly error: unknown };

/** Called for what the controls of a queue do. What it throws becomes a warning of the process. */
export type OnControl = (event: ControlEvent) => unknown;
