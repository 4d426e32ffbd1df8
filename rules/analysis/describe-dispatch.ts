import type { Join } from "../catalogue/vocabulary.js";
import { describeInside } from "./describe-inside.js";
import { oneOrMore } from "./knowledge.js";
import type { DispatchInside } from "./work-inside.js";

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
      .map((join) => describeJoin(join))
      .join(" or "),
  };
}

/** What is passed to take part in a transaction: `` `{ db }` ``; with the handle's name `` `{ transaction: t }` ``. */
export function describeJoin(join: Join, handle?: string): string {
  if ("argument" in join) return `argument ${String(join.argument + 1)}`;
  if ("chained" in join) return `\`.${join.chained}(${handle ?? "…"})\``;
  const { path = "" } = join.option;
  return handle === undefined || handle === path ? `\`{ ${path} }\`` : `\`{ ${path}: ${handle} }\``;
}
