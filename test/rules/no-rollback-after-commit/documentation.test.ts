import { noRollbackAfterCommit } from "../../../rules/no-rollback-after-commit.js";
import { examplesOfPage } from "../examples-of-page.js";

examplesOfPage("no-rollback-after-commit", noRollbackAfterCommit);
