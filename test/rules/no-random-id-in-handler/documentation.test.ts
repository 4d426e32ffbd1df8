import { noRandomIdInHandler } from "../../../rules/no-random-id-in-handler.js";
import { examplesOfPage } from "../examples-of-page.js";

examplesOfPage("no-random-id-in-handler", noRandomIdInHandler);
