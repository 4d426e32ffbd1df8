import { lineOf } from "./code/node.js";
import { describePath } from "./path.js";
import { labelOf, type Ref } from "./semantics.js";
import type { ReachedInside } from "./work-inside.js";

/** What a message says of something inside a transaction: what it is, what opened the transaction, and the way there. */
export function describeInside({ scope, reached, node, path }: ReachedInside<{ readonly ref: Ref }>) {
  const isAmbient = scope.kind === "ambient";
  return {
    call: labelOf(reached.ref),
    opener: isAmbient ? "settings.aftercommit.ambientTransaction" : scope.label,
    openedAt: isAmbient ? `"${scope.label}"` : `line ${String(lineOf(scope.openedAt.file, scope.openedAt.start))}`,
    path: describePath(node, path),
  };
}
