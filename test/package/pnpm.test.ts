import { testConsumersOf } from "./consumers.js";

testConsumersOf("pnpm");
