import { createRelay } from "aftercommit";
import { outbox } from "./queues.ts";

await createRelay({ outbox, pollEvery: 0.1 }).stopOn("SIGTERM").start();
