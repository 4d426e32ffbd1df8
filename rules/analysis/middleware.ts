import type { Program } from "./analysis.js";
import type { CallNode, Node } from "./code/node.js";
import { nameOfCallee } from "./effects.js";

const verbs = new Set(["all", "del", "delete", "get", "head", "options", "patch", "post", "put", "use"]);

/** A middleware of a route that runs the rest of the route inside a transaction, and that rest. */
export interface TransactionalRoute {
  readonly middleware: Node;
  readonly label: string;
  readonly handlers: readonly Node[];
}

/** Reads `router.post(path, transaction(), handler)`: the middleware calls its `next` inside a transaction that it opens. */
export function transactionalRoute(call: CallNode, { wrappers, values }: Program): TransactionalRoute | undefined {
  const name = nameOfCallee(call);
  if (name === undefined || !verbs.has(name) || call.callee.kind !== "member" || call.args.length < 2) return undefined;
  const chain = call.args.flatMap((argument) => (argument.kind === "array" ? argument.elements : [argument]));
  for (const [index, middleware] of chain.entries()) {
    const label =
      middleware.kind === "call"
        ? nameOfCallee(middleware)
        : middleware.kind === "name"
          ? middleware.text
          : middleware.kind === "member"
            ? middleware.property
            : undefined;
    if (label === undefined || index === chain.length - 1 || !wrappers.openerNames.has(label)) continue;
    const settled = values.settle(middleware, undefined);
    // `(ctx, next)` and `(request, response, next)`: the last parameter goes on with the route
    if (
      settled.kind === "closure" &&
      settled.fn.params.length > 1 &&
      wrappers
        .runsInside(settled)
        .some(({ argument, path }) => argument === settled.fn.params.length - 1 && path.length === 0)
    ) {
      return { middleware, label, handlers: chain.slice(index + 1) };
    }
  }
  return undefined;
}
