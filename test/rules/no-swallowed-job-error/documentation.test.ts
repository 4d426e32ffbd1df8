import { noSwallowedJobError } from "../../../rules/no-swallowed-job-error.js";
import { examplesOfPage } from "../examples-of-page.js";

examplesOfPage("no-swallowed-job-error", noSwallowedJobError);
