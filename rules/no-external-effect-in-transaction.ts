import { describeInside } from "./analysis/describe-inside.js";
import { isTestFile } from "./analysis/test-file.js";
import { workInside, type EffectInside } from "./analysis/work-inside.js";
import { createRule } from "./create-rule.js";

type MessageIds = "effect" | "cache" | "clients" | "question";
type Options = readonly [{ readonly reads?: boolean }?];

/** Reports requests, mails, payments and the like that are made while a transaction is still open. */
export const noExternalEffectInTransaction = createRule<MessageIds, Options>({
  name: "no-external-effect-in-transaction",
  description: "disallow requests, mail, payments and other effects outside the database while a transaction is open",
  recommended: "strict",
  schema: [
    {
      type: "object",
      additionalProperties: false,
      properties: {
        reads: {
          type: "boolean",
          description: "Report requests that only read, too: they keep the transaction open while they wait.",
        },
      },
    },
  ],
  defaultOptions: [{ reads: false }],
  messages: {
    effect:
      "`{{call}}` {{does}} {{before}}: a rollback does not take it back, and while it is waited for, rows stay locked.{{again}}{{path}} Do it after the commit, or write an outbox row in the transaction and do it from there.",
    cache:
      "`{{call}}` changes the cache {{before}}: whoever reads in between fills it with the old rows, which then stay, and a rollback leaves the change.{{again}}{{path}} Change it after the commit.",
    clients:
      "`{{call}}` tells clients {{before}}: they ask for rows that are not there yet, and after a rollback they have seen what never was.{{again}}{{path}} Tell them after the commit.",
    question:
      "The transaction of `{{opener}}` ({{openedAt}}) stays open, with its connection and its locks, while `{{call}}` waits for another system.{{path}} Ask before the transaction begins, and pass the answer in.",
  },
  check(analysis, report, [options], active) {
    if (isTestFile(analysis.file.path)) return;
    const { dispatches, effects, questions } = workInside(analysis);
    // what moves behind the commit for the sake of a dispatch takes its effects along
    const known = new Set(active.has("no-dispatch-in-transaction") ? dispatches.map(({ node }) => node) : []);
    for (const inside of [...effects, ...(options?.reads ? questions : [])]) {
      const { kind } = inside.reached.known.entry;
      if (known.has(inside.node) || kind === "lock" || (kind === "cache" && questions.includes(inside))) continue;
      known.add(inside.node);
      report({
        node: inside.node,
        messageId: questions.includes(inside) ? "question" : messageFor(inside),
        data: { ...describeInside(inside), does: verbs[kind], before: beforeOf(inside), again: againOf(inside) },
      });
    }
  },
});

function messageFor({ reached }: EffectInside): MessageIds {
  const { kind } = reached.known.entry;
  return kind === "cache" ? "cache" : kind === "websocket" ? "clients" : "effect";
}

function beforeOf(inside: EffectInside): string {
  const { opener, openedAt } = describeInside(inside);
  return inside.scope.kind === "hook"
    ? `in \`${opener}\` (${openedAt}), which runs inside the transaction that saves the row, before its commit`
    : `before the transaction of \`${opener}\` (${openedAt}) commits`;
}

function againOf({ scope }: EffectInside): string {
  return scope.rerun ? ` It happens again each time that ${scope.rerun.by} runs this code again.` : "";
}

const verbs: Readonly<Record<EffectInside["reached"]["known"]["entry"]["kind"], string>> = {
  http: "changes something in another system",
  mail: "sends mail",
  payment: "acts at the payment provider",
  message: "sends a message",
  "object store": "changes the object store",
  cache: "changes the cache",
  lock: "takes a lock",
  websocket: "tells clients",
  model: "asks (and pays) a model",
};
