import { noEffectInRetriedTransaction } from "../../../rules/no-effect-in-retried-transaction.js";
import { examplesOfPage } from "../examples-of-page.js";

examplesOfPage("no-effect-in-retried-transaction", noEffectInRetriedTransaction);
