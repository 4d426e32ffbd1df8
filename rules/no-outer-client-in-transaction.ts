import type { Join, OneOrMore } from "./catalogue/vocabulary.js";
import { contains, lineOf } from "./analysis/code/node.js";
import { describeJoin } from "./analysis/describe-dispatch.js";
import { calleeText } from "./analysis/describe.js";
import { placeFor } from "./analysis/join-edits.js";
import { oneOrMore } from "./analysis/knowledge.js";
import { outerStatementsIn, type OuterStatement } from "./analysis/outer-clients.js";
import { describePath } from "./analysis/path.js";
import { createRule, type Finding } from "./create-rule.js";

type MessageIds = "client" | "waits" | "through" | "statement" | "never" | "handle" | "option";

/** Reports statements that run beside the transaction in whose code they stand. */
export const noOuterClientInTransaction = createRule<MessageIds, []>({
  name: "no-outer-client-in-transaction",
  description: "disallow statements inside a transaction that do not go over its handle",
  recommended: "recommended",
  hasSuggestions: true,
  schema: [],
  defaultOptions: [],
  messages: {
    client:
      "`{{statement}}` goes over `{{client}}` and not over the transaction of `{{opener}}` (line {{line}}): it runs on a second connection, does not see what the transaction has written, and stays when the transaction rolls back; enough of them at once, and all wait for a connection for ever.{{path}} {{cure}}",
    waits:
      "`{{statement}}` goes over `{{client}}`, which waits until the transaction of `{{opener}}` (line {{line}}) is over, and that waits for this statement: both wait for ever.{{path}} {{cure}}",
    through:
      "`{{statement}}` goes over the connection of `{{client}}` and not over the transaction of `{{opener}}` (line {{line}}): it does not see what the transaction has written, and stays when the transaction rolls back; enough of them at once, and all wait for a connection for ever.{{path}} Take it from {{handle}}: `{{instead}}`.",
    statement:
      "`{{statement}}` is not given the transaction of `{{opener}}` (line {{line}}): it runs on a second connection, does not see what the transaction has written, and stays when the transaction rolls back; enough of them at once, and all wait for a connection for ever.{{path}} Pass {{handle}}: {{option}}.",
    never:
      "`{{statement}}` takes part in no transaction, and so not in that of `{{opener}}` (line {{line}}): it does not see what the transaction has written, and stays when the transaction rolls back.{{path}} Write it with {{handle}} instead.",
    handle: "Use `{{handle}}`.",
    option: "Pass `{{option}}`.",
  },
  check(analysis, report) {
    for (const outer of outerStatementsIn(analysis)) {
      const { scope, opened, node, path, found } = outer;
      const handle = opened.handle === undefined ? "the handle that the callback is given" : `\`${opened.handle}\``;
      report({
        node,
        messageId: messageFor(outer),
        data: {
          statement: calleeText(found.statement),
          client: clientOf(outer),
          opener: scope.label,
          line: String(lineOf(scope.openedAt.file, scope.openedAt.start)),
          path: describePath(node, path),
          handle,
          cure: path.length > 1 ? `Pass ${handle} on, and use it there.` : `Use ${handle} instead.`,
          instead: (opened.library.beside?.through?.instead ?? "").replaceAll("$", opened.handle ?? "handle"),
          option: found.kind === "statement" ? optionFor(found.known.entry.joins, opened.handle) : "",
        },
        suggest: suggestionsFor(outer),
      });
    }
  },
});

/** The client as it is called where the transaction is opened. */
function clientOf({ found, opened }: OuterStatement): string {
  if (found.kind === "statement") return "";
  return (found.kind === "client" ? opened.clients[0]?.text : undefined) ?? calleeText(found.client);
}

function messageFor({ found, opened }: OuterStatement): MessageIds {
  if (found.kind === "statement") return found.known.entry.joins ? "statement" : "never";
  return found.kind === "client" && opened.library.beside?.waits ? "waits" : found.kind;
}

/** Where the statement stands in the callback itself: the handle in the place of the client, or in the options. */
function suggestionsFor({
  found,
  opened,
  path,
  node,
  scope,
}: OuterStatement): NonNullable<Finding<MessageIds>["suggest"]> {
  const { handle } = opened;
  if (handle === undefined || path.length > 1 || !contains(scope.body, node)) return [];
  if (found.kind === "client") {
    const { start, end } = found.client;
    return [{ messageId: "handle", data: { handle }, edits: [{ start, end, text: handle }] }];
  }
  const [join] = found.kind === "statement" ? oneOrMore(found.known.entry.joins) : [];
  if (!join || !("option" in join) || typeof join.option.argument !== "number" || node.kind !== "call") return [];
  const { argument, path: key = "" } = join.option;
  const value = key === handle ? key : `${key}: ${handle}`;
  const place = placeFor(node, argument, value);
  return place ? [{ messageId: "option", data: { option: `{ ${value} }` }, edits: [place] }] : [];
}

/** `` `{ transaction: t }` ``: the first of the ways, which are alike. */
function optionFor(joins: OneOrMore<Join> | undefined, handle: string | undefined): string {
  const [join] = oneOrMore(joins);
  return join ? describeJoin(join, handle) : "";
}
