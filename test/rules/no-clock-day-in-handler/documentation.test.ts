import { noClockDayInHandler } from "../../../rules/no-clock-day-in-handler.js";
import { examplesOfPage } from "../examples-of-page.js";

examplesOfPage("no-clock-day-in-handler", noClockDayInHandler);
