import { relative } from "node:path";

import type { FileAnalysis } from "./analysis/analysis.js";
import { lineOf } from "./analysis/code/node.js";
import { inOneUnit } from "./analysis/duration.js";
import { oneOrMore } from "./analysis/knowledge.js";
import { leaseProblems, type LeaseProblem } from "./analysis/lease.js";
import type { Side } from "./analysis/lease-settings.js";
import { isTestFile } from "./analysis/test-file.js";
import { createRule } from "./create-rule.js";

type MessageIds = "tooLong" | "renewedTooLate" | "renewedLate" | "useless" | "tooShort" | "tooClose";
type Options = readonly [{ readonly margin?: boolean }?];

/** Reports handlers that may run for as long as, or longer than, the queue leaves them the job. */
export const requireTimeoutBelowRetryAfter = createRule<MessageIds, Options>({
  name: "require-timeout-below-retry-after",
  description: "require a job's time limit to be shorter than the time after which the queue hands the job out again",
  recommended: "recommended",
  schema: [
    {
      type: "object",
      additionalProperties: false,
      properties: {
        margin: {
          type: "boolean",
          description:
            "Also report leases that are longer than the timeout, but by less than the queue's own documentation advises (AWS: six times the timeout of a Lambda function).",
        },
      },
    },
  ],
  defaultOptions: [{ margin: false }],
  messages: {
    tooLong:
      "This handler may run for {{timeout}} ({{timeoutAt}}), {{relation}} the {{lease}} for which the queue leaves it the job ({{leaseAt}}): {{consequence}}. {{advice}}.",
    renewedTooLate:
      "The worker renews its hold on a job every {{timeout}} ({{timeoutAt}}), but holds it for {{lease}} only ({{leaseAt}}): {{consequence}}. {{advice}}.",
    renewedLate:
      "The worker holds a job for {{lease}} ({{leaseAt}}) and renews that every {{timeout}} ({{timeoutAt}}), later than half of it: when one renewal is late or lost, {{consequence}}. {{advice}}.",
    useless:
      "{{timeoutName}} ({{timeout}}, {{timeoutAt}}) is {{relation}} {{leaseName}} ({{lease}}, {{leaseAt}}): {{consequence}}. {{advice}}.",
    tooShort: "{{timeoutName}} is {{timeout}} here: {{consequence}}.",
    tooClose:
      "This handler may run for {{timeout}} ({{timeoutAt}}), and the queue leaves it the job for {{lease}} ({{leaseAt}}): less than {{times}} times as long, so a retry or a slow start can push it over. {{advice}}.",
  },
  check(analysis, report, [options]) {
    if (isTestFile(analysis.file.path)) return;
    for (const problem of leaseProblems(analysis, { margin: options?.margin ?? false })) {
      report({ node: problem.node, messageId: messageFor(problem), data: dataFor(problem, analysis) });
    }
  },
});

function messageFor({ kind, pair }: LeaseProblem): MessageIds {
  if (kind === "too short") return "tooShort";
  if (kind === "too close") return "tooClose";
  if (kind === "renewed late") return "renewedLate";
  return pair.as === "limit" ? "tooLong" : pair.as === "renewal" ? "renewedTooLate" : "useless";
}

function dataFor(problem: LeaseProblem, analysis: FileAnalysis): Record<string, string> {
  const { pair, timeout, lease } = problem;
  const [timeoutText = "", leaseText = ""] = inOneUnit(timeout.ms, lease.ms);
  return {
    timeout: timeoutText,
    timeoutAt: whereOf(timeout, problem, analysis),
    timeoutName: nameOf(timeout),
    lease: leaseText,
    leaseAt: whereOf(lease, problem, analysis),
    leaseName: nameOf(lease),
    relation: timeout.ms === lease.ms ? "exactly as long as" : "longer than",
    consequence: consequenceOf(problem),
    advice:
      pair.advice ??
      (pair.as === "limit" ? `Lower the limit, or raise ${nameOf(lease)} above it` : "Renew at half of it or earlier"),
    times: String(pair.margin?.times ?? 1),
  };
}

function consequenceOf({ kind, pair, timeout }: LeaseProblem): string {
  if (kind === "too short") return timeout.setting?.atLeast?.because ?? "";
  if (kind === "renewed late") return "the job goes to a second worker while the first still runs";
  return pair.consequence ?? "after that the queue hands the job to a second worker while the first still runs";
}

function nameOf({ name, setting }: Side): string {
  const slot = oneOrMore(setting?.slot)[0]?.path?.split(".").at(-1);
  return name === undefined && slot === undefined ? "the lease" : `\`${name ?? slot ?? ""}\``;
}

/** Where a value was set: the line, the file and line, or whose default it is. */
function whereOf(side: Side, { library, pair, kind }: LeaseProblem, analysis: FileAnalysis): string {
  if (!side.node) return side.setting?.defaultIs ?? `the default of ${library.name.replace(/ \(.*\)$/, "")}`;
  // there the name stands before it
  if (!side.parts && pair.as === "order" && kind === "too long") return placeOf(side.node, analysis);
  const parts = side.parts ?? [{ node: side.node, label: side.name, ms: side.ms, times: 1 }];
  const texts = parts.slice(0, 3).map(({ node, label, times, ms }) => {
    const where = `\`${label ?? "value"}\`, ${placeOf(node, analysis)}`;
    if (parts.length === 1 && times === 1) return where;
    return `${times === 1 ? "" : `${String(times)} × `}${inOneUnit(ms)[0] ?? ""} by ${where}`;
  });
  return parts.length > 3 ? `${texts.join("; ")}; and ${String(parts.length - 3)} more` : texts.join("; ");
}

function placeOf(node: NonNullable<Side["node"]>, { file }: FileAnalysis): string {
  const line = String(lineOf(node.file, node.start));
  return node.file === file
    ? `line ${line}`
    : `${relative(process.cwd(), node.file.path).replaceAll("\\", "/")}:${line}`;
}
