import { describeInside } from "./describe-inside.js";
import { oneOrMore } from "./knowledge.js";
import type { DispatchInside } from "./transaction-scope.js";

/** What a message says of a dispatch inside a transaction. */
export function describeDispatch(inside: DispatchInside): Record<string, string> {
  const { entry } = inside.reached.known;
  const { call, ...where } = describeInside(inside);
  return {
    ...where,
    dispatch: call,
    receiver:
      entry.to === "workflow"
        ? "workflow"
        : entry.to === "in-process bus"
          ? "listener"
          : entry.to === "queue"
            ? "worker"
            : "consumer",
    joinsAs: entry.joinsAs ?? "",
    join: oneOrMore(entry.joins)
      .map((join) =>
        "option" in join
          ? `\`{ ${join.option.path ?? ""} }\``
          : "chained" in join
            ? `\`.${join.chained}(…)\``
            : `argument ${String(join.argument + 1)}`,
      )
      .join(" or "),
  };
}
