import { noCheckThenInsert } from "../../../rules/no-check-then-insert.js";
import { examplesOfPage } from "../examples-of-page.js";

examplesOfPage("no-check-then-insert", noCheckThenInsert);
