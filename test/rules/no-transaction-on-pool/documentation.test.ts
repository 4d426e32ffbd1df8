import { noTransactionOnPool } from "../../../rules/no-transaction-on-pool.js";
import { examplesOfPage } from "../examples-of-page.js";

examplesOfPage("no-transaction-on-pool", noTransactionOnPool);
