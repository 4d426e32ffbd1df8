import { testConsumersOf } from "./consumers.js";

testConsumersOf("npm");
