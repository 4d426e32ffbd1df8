import { noSwallowedJobError } from "../../../rules/no-swallowed-job-error.js";
import { casesOfFiles } from "../cases-of-files.js";

casesOfFiles("what the page says that the rule does not see", noSwallowedJobError, {
  "a catch on a promise": `
    import { Worker } from "bullmq";
    declare function charge(data: unknown): Promise<void>;
    new Worker("charges", async (job) => {
      await charge(job.data).catch((error) => console.error(error));
    });
  `,
  "an early end": `
    import { Worker } from "bullmq";
    declare function load(data: unknown): Promise<{ id: string }>;
    declare function charge(data: unknown): Promise<void>;
    new Worker("charges", async (job) => {
      let order: { id: string };
      try {
        order = await load(job.data);
      } catch (error) {
        console.error(error);
        return;
      }
      await charge(order);
    });
  `,
});
