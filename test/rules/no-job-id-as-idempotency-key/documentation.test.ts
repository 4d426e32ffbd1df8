import { noJobIdAsIdempotencyKey } from "../../../rules/no-job-id-as-idempotency-key.js";
import { examplesOfPage } from "../examples-of-page.js";

examplesOfPage("no-job-id-as-idempotency-key", noJobIdAsIdempotencyKey);
