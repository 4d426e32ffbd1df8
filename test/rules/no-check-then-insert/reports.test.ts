import { noCheckThenInsert } from "../../../rules/no-check-then-insert.js";
import { casesOfFiles } from "../cases-of-files.js";

casesOfFiles("an insert that a read decides about", noCheckThenInsert, {
  "an inbox of Prisma": `
    import { PrismaClient } from "@prisma/client";
    import type { SQSEvent } from "aws-lambda";
    const prisma = new PrismaClient();
    declare function ship(body: string): Promise<void>;
    export async function handler(event: SQSEvent) {
      for (const { messageId, body } of event.Records) {
        const seen = await prisma.processedMessage.findUnique({ where: { consumer_messageId: { consumer: "orders", messageId } } });
        if (seen) continue;
        await ship(body);
        await prisma.processedMessage.create({ data: { consumer: "orders", messageId } }); // report ledger
      }
    }
  `,
  "an inbox in SQL": `
    import { Worker } from "bullmq";
    import { Pool } from "pg";
    const pool = new Pool();
    declare function charge(id: string): Promise<void>;
    new Worker("charges", async (job) => {
      const { rows } = await pool.query("SELECT 1 FROM processed_events WHERE event_id = $1", [job.data.eventId]);
      if (rows.length > 0) return;
      await charge(job.data.eventId);
      await pool.query("INSERT INTO processed_events (event_id) VALUES ($1)", [job.data.eventId]); // report ledger
    });
  `,
  "a user that is made when it is not there, in a handler": `
    import { PrismaClient } from "@prisma/client";
    import { Worker } from "bullmq";
    const prisma = new PrismaClient();
    new Worker("users", async (job) => {
      const { email } = job.data;
      let user = await prisma.user.findUnique({ where: { email } });
      if (!user) {
        user = await prisma.user.create({ data: { email } }); // report inHandler
      }
      return user;
    });
  `,
  "a repository of TypeORM, an else and a return": `
    import { Repository } from "typeorm";
    class Tag { id!: string; name!: string; uses!: number; }
    export class Tags {
      constructor(private readonly tags: Repository<Tag>) {}
      async use(name: string) {
        const tag = await this.tags.findOneBy({ name });
        if (tag) {
          await this.tags.update({ name }, { uses: tag.uses + 1 });
        } else {
          await this.tags.insert({ name, uses: 1 }); // report row
        }
      }
      async ensure(dto: { name: string }) {
        const existing = await this.tags.findOne({ where: { name: dto.name } });
        if (existing) return existing;
        return this.tags.save(dto); // report row
      }
    }
  `,
  "an entity manager": `
    import { EntityManager } from "typeorm";
    class Tag { id!: string; name!: string; }
    export async function ensure(manager: EntityManager, name: string) {
      if (!(await manager.existsBy(Tag, { name }))) {
        await manager.insert(Tag, { name }); // report row
      }
    }
  `,
  "a repository that is asked for with a context": `
    import type { ObjectLiteral, ObjectType, Repository } from "typeorm";
    class Tag { id!: string; value!: string; }
    interface Connection { getRepository<E extends ObjectLiteral>(ctx: object, entity: ObjectType<E>): Repository<E>; }
    export async function ensure(connection: Connection, ctx: object, value: string) {
      const existing = await connection.getRepository(ctx, Tag).findOne({ where: { value } });
      if (existing) return existing;
      return connection.getRepository(ctx, Tag).save({ value }); // report row, typed
    }
  `,
  "Sequelize and Mongoose": `
    import mongoose from "mongoose";
    import { Model } from "sequelize";
    class Tag extends Model {}
    const Label = mongoose.model("Label", new mongoose.Schema({ name: String }));
    export async function ensure(name: string) {
      const tag = (await Tag.findOne({ where: { name } })) ?? (await Tag.create({ name })); // report row
      const count = await Label.countDocuments({ name });
      if (count === 0) await Label.create({ name }); // report row
      return tag;
    }
  `,
  "Drizzle, Kysely and Knex": `
    import { eq } from "drizzle-orm";
    import { drizzle } from "drizzle-orm/node-postgres";
    import { pgTable, text } from "drizzle-orm/pg-core";
    import knex from "knex";
    import { Kysely, PostgresDialect } from "kysely";
    import { Pool } from "pg";
    const tags = pgTable("tags", { name: text("name").primaryKey() });
    const db = drizzle("postgres://localhost/shop");
    const kysely = new Kysely<{ tags: { name: string } }>({ dialect: new PostgresDialect({ pool: new Pool() }) });
    const builder = knex({ client: "pg" });
    export async function ensure(name: string) {
      const [existing] = await db.select().from(tags).where(eq(tags.name, name)).limit(1);
      if (!existing) await db.insert(tags).values({ name }).returning(); // report row
      const found = await kysely.selectFrom("tags").selectAll().where("name", "=", name).executeTakeFirst();
      if (found === undefined) await kysely.insertInto("tags").values({ name }).execute(); // report row
      const row = await builder("tags").where({ name }).first();
      if (!row) await builder("tags").insert({ name }); // report row
    }
  `,
  "a ledger is none of the person who asks": `
    import { PrismaClient } from "@prisma/client";
    const prisma = new PrismaClient();
    export async function accept(consumer: string, messageId: string) {
      const seen = await prisma.processedMessage.findFirst({ where: { consumer, messageId } });
      if (seen) throw new Error("already processed");
      await prisma.processedMessage.create({ data: { consumer, messageId } }); // report ledger
    }
  `,
});
