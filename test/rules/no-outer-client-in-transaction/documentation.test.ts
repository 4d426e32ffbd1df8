import { noOuterClientInTransaction } from "../../../rules/no-outer-client-in-transaction.js";
import { examplesOfPage } from "../examples-of-page.js";

examplesOfPage("no-outer-client-in-transaction", noOuterClientInTransaction);
