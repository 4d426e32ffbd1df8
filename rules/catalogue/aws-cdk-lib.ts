import type { Library } from "./vocabulary.js";

/** Declares queues and functions, and runs neither: it matters for the timeout rule alone. */
export const awsCdkLib: Library = {
  name: "AWS CDK",
  packages: ["aws-cdk-lib"],
};
