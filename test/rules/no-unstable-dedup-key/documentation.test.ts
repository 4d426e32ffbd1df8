import { noUnstableDedupKey } from "../../../rules/no-unstable-dedup-key.js";
import { examplesOfPage } from "../examples-of-page.js";

examplesOfPage("no-unstable-dedup-key", noUnstableDedupKey);
