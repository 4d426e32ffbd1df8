import { noInsertIgnore } from "../../../rules/no-insert-ignore.js";
import { examplesOfPage } from "../examples-of-page.js";

examplesOfPage("no-insert-ignore", noInsertIgnore);
