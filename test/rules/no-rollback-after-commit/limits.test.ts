import { noRollbackAfterCommit } from "../../../rules/no-rollback-after-commit.js";
import { casesOfFiles } from "../cases-of-files.js";

casesOfFiles("what the page says that the rule does not see", noRollbackAfterCommit, {
  "a function that throws without being awaited": `
    import { Sequelize } from "sequelize";
    const sequelize = new Sequelize("postgres://localhost/shop");
    declare function check(id: string): void;
    export async function confirm(id: string) {
      const transaction = await sequelize.transaction();
      try {
        await transaction.commit();
        check(id);
      } catch (error) {
        await transaction.rollback();
        throw error;
      }
    }
  `,
});
