import { noFloatingWorkInTransaction } from "../../../rules/no-floating-work-in-transaction.js";
import { examplesOfPage } from "../examples-of-page.js";

examplesOfPage("no-floating-work-in-transaction", noFloatingWorkInTransaction);
