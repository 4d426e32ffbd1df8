import { preferTransactionalEnqueue } from "../../../rules/prefer-transactional-enqueue.js";
import { examplesOfPage } from "../examples-of-page.js";

examplesOfPage("prefer-transactional-enqueue", preferTransactionalEnqueue);
