import { noLockAsGuarantee } from "../../../rules/no-lock-as-guarantee.js";
import { examplesOfPage } from "../examples-of-page.js";

examplesOfPage("no-lock-as-guarantee", noLockAsGuarantee);
