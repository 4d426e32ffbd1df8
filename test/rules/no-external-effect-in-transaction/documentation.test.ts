import { noExternalEffectInTransaction } from "../../../rules/no-external-effect-in-transaction.js";
import { examplesOfPage } from "../examples-of-page.js";

examplesOfPage("no-external-effect-in-transaction", noExternalEffectInTransaction);
