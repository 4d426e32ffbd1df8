import { AftercommitError, messageOf, type DataState } from "../errors.js";

/** A broker has not confirmed messages: it could not be reached, refused them, broke off, or took too long. */
export class UnconfirmedPublishError extends AftercommitError {
  /** @param broker for people, such as "RabbitMQ" */
  constructor(
    broker: string,
    queue: string,
    cause: unknown,
    state: Extract<DataState, "unknown" | "nothing written"> = "unknown",
  ) {
    super(
      `${broker} has not confirmed messages for queue "${queue}" (${messageOf(cause)}). ` +
        (state === "unknown" ? "Any of them may have arrived; " : "None of them was sent; ") +
        "sending all of them again is right. A relay does that by itself.",
      { code: "AFTERCOMMIT_PUBLISH_UNCONFIRMED", state, cause },
    );
  }
}
