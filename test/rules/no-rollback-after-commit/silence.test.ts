import { noRollbackAfterCommit } from "../../../rules/no-rollback-after-commit.js";
import { casesOfFiles } from "../cases-of-files.js";

const head = `
  import { Sequelize, type Transaction } from "sequelize";
  const sequelize = new Sequelize("postgres://localhost/shop");
  declare const logger: { info(text: string): Promise<void> };
  declare function notify(id: string): Promise<void>;
  declare function shown(id: string): string;
`;

casesOfFiles("a commit behind which nothing can fail into the rollback", noRollbackAfterCommit, {
  "the commit is the last statement": `${head}
    export async function confirm(id: string) {
      const transaction = await sequelize.transaction();
      try {
        await notify(id);
        await transaction.commit();
      } catch (error) {
        await transaction.rollback();
        throw error;
      }
      await notify(id);
    }
  `,
  "logs, clean-up, and what is not awaited": `${head}
    export async function confirm(id: string) {
      const transaction = await sequelize.transaction();
      try {
        await transaction.commit();
        await logger.info("confirmed");
        await sequelize.close();
        return shown(id);
      } catch (error) {
        await transaction.rollback();
        throw error;
      }
    }
  `,
  "a flag, and the library's own state": `${head}
    export async function confirm(id: string) {
      const transaction = await sequelize.transaction();
      let isCommitted = false;
      try {
        await transaction.commit();
        isCommitted = true;
        await notify(id);
      } catch (error) {
        if (!isCommitted) await transaction.rollback();
        throw error;
      }
    }
    export async function cancel(id: string) {
      const transaction = await sequelize.transaction();
      try {
        await transaction.commit();
        await notify(id);
      } catch (error) {
        if (!(transaction as { finished?: string }).finished) await transaction.rollback();
        throw error;
      }
    }
  `,
  "a handle that is forgotten": `${head}
    export async function confirm(id: string) {
      let transaction: Transaction | undefined = await sequelize.transaction();
      try {
        await transaction.commit();
        transaction = undefined;
        await notify(id);
      } catch (error) {
        await transaction?.rollback();
        throw error;
      }
    }
  `,
  "a try of its own, and a caught promise": `${head}
    export async function confirm(id: string) {
      const transaction = await sequelize.transaction();
      try {
        await transaction.commit();
        try {
          await notify(id);
        } catch (error) {
          await logger.info(String(error));
        }
        await notify(id).catch(() => undefined);
      } catch (error) {
        await transaction.rollback();
        throw error;
      }
    }
  `,
  "a rollback whose failure is expected": `${head}
    export async function confirm(id: string) {
      const transaction = await sequelize.transaction();
      try {
        await transaction.commit();
        await notify(id);
      } catch (error) {
        await transaction.rollback().catch(() => undefined);
        throw error;
      }
    }
  `,
  "the commit has a try of its own, or returns": `${head}
    export async function confirm(id: string) {
      const transaction = await sequelize.transaction();
      try {
        await notify(id);
      } catch (error) {
        await transaction.rollback();
        throw error;
      }
      await transaction.commit();
      await notify(id);
    }
    export async function cancel(id: string, isLast: boolean) {
      const transaction = await sequelize.transaction();
      try {
        if (isLast) {
          await transaction.commit();
          return;
        }
        await notify(id);
        await transaction.commit();
      } catch (error) {
        await transaction.rollback();
        throw error;
      }
    }
  `,
  "another transaction begins": `${head}
    export async function confirm(ids: string[]) {
      let transaction = await sequelize.transaction();
      try {
        await transaction.commit();
        transaction = await sequelize.transaction();
        await notify("x");
        await transaction.commit();
      } catch (error) {
        await transaction.rollback();
        throw error;
      }
    }
  `,
  "databases in which a rollback after the commit does nothing": `
    import { createPool } from "mysql2/promise";
    import { Pool } from "pg";
    const mysql = createPool({});
    const pool = new Pool();
    declare function notify(id: string): Promise<void>;
    export async function confirm(id: string) {
      const connection = await mysql.getConnection();
      await connection.beginTransaction();
      try {
        await connection.commit();
        await notify(id);
      } catch (error) {
        await connection.rollback();
        throw error;
      }
    }
    export async function cancel(id: string) {
      const client = await pool.connect();
      try {
        await client.query("BEGIN");
        await client.query("COMMIT");
        await notify(id);
      } catch (error) {
        await client.query("ROLLBACK");
        throw error;
      }
    }
  `,
  "members that are only called so": `
    import simple from "sequelize";
    declare const repository: { commit(message: string): Promise<void>; rollback(): Promise<void>; push(): Promise<void> };
    export async function publish() {
      try {
        await repository.commit("x");
        await repository.push();
      } catch (error) {
        await repository.rollback();
        throw simple;
      }
    }
  `,
});
