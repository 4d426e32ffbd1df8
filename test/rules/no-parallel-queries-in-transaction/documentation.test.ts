import { noParallelQueriesInTransaction } from "../../../rules/no-parallel-queries-in-transaction.js";
import { examplesOfPage } from "../examples-of-page.js";

examplesOfPage("no-parallel-queries-in-transaction", noParallelQueriesInTransaction);
