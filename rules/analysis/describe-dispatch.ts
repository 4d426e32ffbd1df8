import type { Join } from "../catalogue/vocabulary.js";
import { lineOf } from "./code/node.js";
import { oneOrMore } from "./knowledge.js";
import { describePath } from "./path.js";
import { labelOf } from "./semantics.js";
import type { DispatchInside } from "./dispatches-inside.js";

/** What a message says of a dispatch inside a transaction. */
export function describeDispatch(inside: DispatchInside): Record<string, string> {
  const { scope, reached, node, path } = inside;
  const { entry } = reached.known;
  const isAmbient = scope.kind === "ambient";
  return {
    dispatch: labelOf(reached.ref),
    opener: isAmbient ? "settings.aftercommit.ambientTransaction" : scope.label,
    openedAt: isAmbient ? `"${scope.label}"` : `line ${String(lineOf(scope.openedAt.file, scope.openedAt.start))}`,
    receiver:
      entry.to === "workflow"
        ? "workflow"
        : entry.to === "in-process bus"
          ? "listener"
          : entry.to === "queue"
            ? "worker"
            : "consumer",
    path: describePath(node, path),
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
