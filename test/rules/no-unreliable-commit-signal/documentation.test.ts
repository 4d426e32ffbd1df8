import { noUnreliableCommitSignal } from "../../../rules/no-unreliable-commit-signal.js";
import { examplesOfPage } from "../examples-of-page.js";

examplesOfPage("no-unreliable-commit-signal", noUnreliableCommitSignal);
