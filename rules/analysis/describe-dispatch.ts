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
