import { firstInHandler } from "./analysis/arrival-in-handler.js";
import { isDeduplication } from "./analysis/arrivals.js";
import { describeArrival, describeHandler } from "./analysis/describe.js";
import { originsOf, type NewArrival, type RandomValue } from "./analysis/origin.js";
import { isTestFile } from "./analysis/test-file.js";
import {
  isDeliveryHeader,
  isEnvelopeName,
  isIdentityName,
  isObservationName,
  isOwnerName,
  isSecretName,
  isTemporaryName,
} from "./analysis/words.js";
import { createRule } from "./create-rule.js";

type MessageIds = "stored" | "dispatched" | "sent" | "key";

/** Reports ids that a job handler makes by chance and that other systems then know the work by. */
export const noRandomIdInHandler = createRule<MessageIds, []>({
  name: "no-random-id-in-handler",
  description: "disallow random ids in job handlers where they become the identity of a row, message or request",
  recommended: "recommended",
  schema: [],
  defaultOptions: [],
  messages: {
    stored:
      "Each run of the job makes a new {{makes}} here, and {{arrival}} stores it as `{{column}}`: when the queue delivers the job again, a second row is stored beside the first. {{handler}} Derive it from the job's payload (a name-based UUID, version 5, of the business key), or make it where the job is dispatched and pass it in the payload.",
    dispatched:
      "Each run of the job makes a new {{makes}} here, and {{arrival}} sends it on as `{{column}}`: when the queue delivers the job again, a second message about another `{{column}}` goes out. {{handler}} Derive it from the job's payload (a name-based UUID, version 5, of the business key), or make it where the job is dispatched and pass it in the payload.",
    sent: "Each run of the job makes a new {{makes}} here, and {{arrival}} sends it as `{{column}}`: when the queue delivers the job again, the receiver takes the repeat for something new. {{handler}} Derive it from the job's payload (a name-based UUID, version 5, of the business key), or make it where the job is dispatched and pass it in the payload.",
    key: "Each run of the job makes a new {{makes}} here, and {{arrival}} uses it as the key `{{column}}`: when the queue delivers the job again, the key is another one and the repeat is not recognised. {{handler}} Build the key from the job's payload: what is done, and for which business object.",
  },
  check(analysis, report) {
    if (isTestFile(analysis.file.path) || !analysis.knowledge.hasHandlers) return;
    const origins = originsOf(analysis);
    for (const random of origins.randomValuesIn(analysis)) {
      const found = firstInHandler(
        analysis,
        origins.arrivalsOf(random.call).filter((arrival) => isIdentity(random, arrival)),
      );
      if (!found) continue;
      const { arrival, path } = found;
      report({
        node: random.call,
        messageId: arrival.kind === "looked up" ? "stored" : arrival.kind,
        data: {
          makes: random.makes,
          arrival: describeArrival(random.call, arrival),
          column: arrival.column ?? arrival.names.at(-1) ?? "id",
          handler: describeHandler(path, random.call),
        },
      });
    }
  },
});

/** Whether a value that arrives somewhere is what others will know the work by. */
function isIdentity({ makes }: RandomValue, arrival: NewArrival): boolean {
  const { kind, column, trail, names, isEnvelopeId, isByName } = arrival;
  const own = column ?? names.at(-1) ?? "";
  const passed = [own, ...names];
  // secrets are random on purpose, locks and processes have an owner of their own each time, scratch files are gone after the run
  if (passed.some((name) => isSecretName(name) || isOwnerName(name)) || isTemporaryName(own)) return false;
  if (makes === "random number" && !isIdentityName(own)) return false;
  switch (kind) {
    case "key":
      // a key that a queue drops repeats by is the business of no-unstable-dedup-key
      return !isDeduplication(arrival);
    case "stored":
      return isByName ? isIdentityName(own) && !isEnvelopeId : true;
    case "dispatched":
      return (
        isIdentityName(own) &&
        !isEnvelopeId &&
        !isObservationName(own) &&
        !(trail.length <= 1 && isEnvelopeName(own)) &&
        !names.some((name) => name !== "id" && isEnvelopeName(name))
      );
    case "looked up":
      return false;
    case "sent":
      return (
        isIdentityName(own) &&
        !isEnvelopeId &&
        (trail[0] !== "headers" || isDeliveryHeader(own)) &&
        !passed.some(isObservationName)
      );
  }
}
