import { noRollbackAfterCommit } from "../../../rules/no-rollback-after-commit.js";
import { casesOfFiles } from "../cases-of-files.js";

casesOfFiles("work behind a commit, in the reach of the rollback", noRollbackAfterCommit, {
  Sequelize: `
    import { Queue } from "bullmq";
    import { Model, Sequelize } from "sequelize";
    class Order extends Model {}
    const sequelize = new Sequelize("postgres://localhost/shop");
    const queue = new Queue("mails");
    export async function confirm(id: string) {
      const transaction = await sequelize.transaction();
      try {
        await Order.create({ id }, { transaction });
        await transaction.commit();
        await queue.add("confirm", { id }); // report behindCommit
        await queue.add("index", { id });
      } catch (error) {
        await transaction.rollback();
        throw error;
      }
    }
  `,
  Knex: `
    import knex from "knex";
    const db = knex({ client: "pg" });
    declare function notify(id: string): Promise<void>;
    export async function confirm(id: string) {
      const trx = await db.transaction();
      try {
        await trx("orders").insert({ id });
        await trx.commit();
        const sent = await notify(id); // report behindCommit
        return sent;
      } catch (error) {
        await trx.rollback(error);
        throw error;
      }
    }
  `,
  TypeORM: `
    import { DataSource } from "typeorm";
    import { Queue } from "bullmq";
    export class Orders {
      constructor(private readonly dataSource: DataSource, private readonly queue: Queue) {}
      async confirm(id: string) {
        const runner = this.dataSource.createQueryRunner();
        await runner.startTransaction();
        try {
          await runner.query("UPDATE orders SET confirmed = true WHERE id = $1", [id]);
          await runner.commitTransaction();
          await this.queue.add("confirm", { id }); // report behindCommit
        } catch (error) {
          await runner.rollbackTransaction();
          throw error;
        } finally {
          await runner.release();
        }
      }
    }
  `,
  MikroORM: `
    import { MikroORM } from "@mikro-orm/postgresql";
    import type { EntityManager } from "@mikro-orm/postgresql";
    declare function notify(id: string): Promise<void>;
    export async function confirm(em: EntityManager, id: string) {
      await em.begin();
      try {
        await em.commit();
        await notify(id); // report behindCommit
      } catch (error) {
        await em.rollback();
        throw error;
      }
    }
  `,
  Kysely: `
    import { Kysely, PostgresDialect } from "kysely";
    import { Pool } from "pg";
    const db = new Kysely<{ orders: { id: string } }>({ dialect: new PostgresDialect({ pool: new Pool() }) });
    declare function notify(id: string): Promise<void>;
    export async function confirm(id: string) {
      const trx = await db.startTransaction().execute();
      try {
        await trx.insertInto("orders").values({ id }).execute();
        await trx.commit().execute();
        await notify(id); // report behindCommit
      } catch (error) {
        await trx.rollback().execute();
        throw error;
      }
    }
  `,
  "a session of MongoDB": `
    import { MongoClient } from "mongodb";
    const client = new MongoClient("mongodb://localhost");
    declare function notify(id: string): Promise<void>;
    export async function confirm(id: string) {
      const session = client.startSession();
      session.startTransaction();
      try {
        await client.db("shop").collection("orders").insertOne({ id }, { session });
        await session.commitTransaction();
        await notify(id); // report behindCommit
      } catch (error) {
        await session.abortTransaction();
        throw error;
      } finally {
        await session.endSession();
      }
    }
  `,
  "a commit on one branch, and a handle that is only looked for": `
    import { Sequelize, type Transaction } from "sequelize";
    const sequelize = new Sequelize("postgres://localhost/shop");
    declare function notify(id: string): Promise<void>;
    export async function confirm(id: string, given?: Transaction) {
      let transaction: Transaction | undefined;
      try {
        transaction = given ?? (await sequelize.transaction());
        if (!given) {
          await transaction.commit();
        }
        await notify(id); // report behindCommit
      } catch (error) {
        if (transaction) await transaction.rollback();
        throw error;
      }
    }
  `,
  "a rollback that nobody waits for": `
    import knex from "knex";
    const db = knex({ client: "pg" });
    declare function notify(id: string): Promise<void>;
    export async function confirm(ids: string[]) {
      const trx = await db.transaction();
      try {
        await trx.commit();
        for (const id of ids) {
          await notify(id); // report floating
        }
      } catch (error) {
        trx.rollback();
        throw error;
      }
    }
  `,
  "own functions around the library's": {
    "transactions.ts": `
      import type { Transaction } from "sequelize";
      export class Transactions {
        static async commitTransaction(transaction: Transaction) { await transaction.commit(); }
        static async rollbackTransaction(transaction: Transaction) { await transaction.rollback(); }
      }
    `,
    "orders.ts": `
      import { Sequelize } from "sequelize";
      import { Transactions } from "./transactions.js";
      const sequelize = new Sequelize("postgres://localhost/shop");
      declare function notify(id: string): Promise<void>;
      export async function confirm(id: string) {
        const transaction = await sequelize.transaction();
        try {
          await Transactions.commitTransaction(transaction);
          await notify(id); // report behindCommit, typed
        } catch (error) {
          await Transactions.rollbackTransaction(transaction);
          throw error;
        }
      }
    `,
  },
});
