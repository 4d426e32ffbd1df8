import { noCheckThenInsert } from "../../../rules/no-check-then-insert.js";
import { casesOfFiles } from "../cases-of-files.js";

const head = `
  import { Prisma, PrismaClient } from "@prisma/client";
  const prisma = new PrismaClient();
`;

casesOfFiles("an insert that the database, or a lock, keeps from happening twice", noCheckThenInsert, {
  "the violation is handled": `${head}
    export async function ensure(email: string) {
      const user = await prisma.user.findUnique({ where: { email } });
      if (user) return user;
      try {
        return await prisma.user.create({ data: { email } });
      } catch (error) {
        if (error instanceof Prisma.PrismaClientKnownRequestError && error.code === "P2002")
          return prisma.user.findUniqueOrThrow({ where: { email } });
        throw error;
      }
    }
    export async function tried(email: string) {
      const user = await prisma.user.findUnique({ where: { email } });
      if (!user) await prisma.user.create({ data: { email } }).catch(() => undefined);
    }
  `,
  "a second one gives way": `
    import { PrismaClient } from "@prisma/client";
    import knex from "knex";
    import { Pool } from "pg";
    const prisma = new PrismaClient();
    const builder = knex({ client: "pg" });
    const pool = new Pool();
    export async function ensure(email: string) {
      const user = await prisma.user.findUnique({ where: { email } });
      if (!user) await prisma.user.upsert({ where: { email }, create: { email }, update: {} });
      if (!user) await prisma.user.createMany({ data: [{ email }], skipDuplicates: true });
      const row = await builder("users").where({ email }).first();
      if (!row) await builder("users").insert({ email }).onConflict("email").ignore();
      const { rows } = await pool.query("SELECT id FROM users WHERE email = $1", [email]);
      if (rows.length === 0) await pool.query("INSERT INTO users (email) VALUES ($1) ON CONFLICT DO NOTHING", [email]);
    }
  `,
  "a row that is locked, an advisory lock, a serializable transaction": `
    import { Prisma, PrismaClient } from "@prisma/client";
    import { Pool } from "pg";
    import { DataSource } from "typeorm";
    const prisma = new PrismaClient();
    const pool = new Pool();
    class Seat { event!: string; }
    export async function book(event: string) {
      const client = await pool.connect();
      await client.query("SELECT 1 FROM events WHERE id = $1 FOR UPDATE", [event]);
      const { rows } = await client.query("SELECT 1 FROM seats WHERE event = $1", [event]);
      if (rows.length === 0) await client.query("INSERT INTO seats (event) VALUES ($1)", [event]);
    }
    export async function second(email: string) {
      await prisma.$transaction(
        async (tx) => {
          const user = await tx.user.findUnique({ where: { email } });
          if (!user) await tx.user.create({ data: { email } });
        },
        { isolationLevel: Prisma.TransactionIsolationLevel.Serializable },
      );
    }
    export async function third(dataSource: DataSource, event: string) {
      await dataSource.transaction(async (manager) => {
        await manager.query("SELECT pg_advisory_xact_lock(hashtext($1))", [event]);
        const seat = await manager.findOneBy(Seat, { event });
        if (!seat) await manager.insert(Seat, { event });
      });
    }
  `,
  "a read for the person who asks": `${head}
    export async function register(email: string) {
      const existing = await prisma.user.findUnique({ where: { email } });
      if (existing) throw new Error("this address is taken");
      return prisma.user.create({ data: { email } });
    }
    export async function route(email: string) {
      const existing = await prisma.user.findUnique({ where: { email } });
      if (existing) return { error: "taken" };
      return prisma.user.create({ data: { email } });
    }
    declare const response: { status(code: number): { json(body: object): void } };
    export async function answered(email: string) {
      const existing = await prisma.user.findUnique({ where: { email } });
      if (existing) {
        response.status(409).json({ message: "taken" });
        return;
      }
      await prisma.user.create({ data: { email } });
    }
  `,
  "another table, or another row": `${head}
    export async function order(userId: string, email: string, total: number) {
      const user = await prisma.user.findUnique({ where: { id: userId } });
      if (user) await prisma.order.create({ data: { userId, total } });
      const last = await prisma.order.findFirst({ where: { status: "PENDING" } });
      if (!last) await prisma.order.create({ data: { userId, total } });
      const owner = await prisma.user.findUnique({ where: { email } });
      if (!owner) return undefined;
      return prisma.user.create({ data: { email: email + ".copy" } });
    }
  `,
  "a row in another state, and one that is there for all": `
    import { OrderStatus, PrismaClient } from "@prisma/client";
    import { DataSource } from "typeorm";
    const prisma = new PrismaClient();
    class Seller { name!: string; }
    export async function order(userId: string, total: number) {
      const open = await prisma.order.findFirst({ where: { userId, status: OrderStatus.PENDING } });
      if (!open) await prisma.order.create({ data: { userId, total, status: OrderStatus.CONFIRMED } });
    }
    export async function start(dataSource: DataSource) {
      const sellers = await dataSource.getRepository(Seller).find();
      if (sellers.length === 0) await dataSource.getRepository(Seller).save({ name: "Default" });
    }
  `,
  "a hook about a new row": `
    import { AfterCreate, Column, Model, Table } from "sequelize-typescript";
    @Table
    class Member extends Model { @Column declare team: string; }
    @Table
    export class Team extends Model {
      @AfterCreate
      static async created(team: Team) {
        const member = await Member.findOne({ where: { team: team.id } });
        if (!member) await Member.create({ team: team.id });
      }
    }
  `,
  "no condition": `${head}
    export async function order(email: string) {
      const user = await prisma.user.findUnique({ where: { email } });
      console.log(user);
      await prisma.user.create({ data: { email } });
    }
  `,
  "what is only called so": `
    declare const cache: { user: { findUnique(key: object): Promise<unknown>; create(value: object): Promise<void> } };
    export async function ensure(email: string) {
      const user = await cache.user.findUnique({ email });
      if (!user) await cache.user.create({ email });
    }
  `,
  "a test, and a seed": {
    "users.test.ts": `${head}
      export async function ensure(email: string) {
        const user = await prisma.user.findUnique({ where: { email } });
        if (!user) await prisma.user.create({ data: { email } });
      }
    `,
    "seeds/users.ts": `${head}
      export async function ensure(email: string) {
        const user = await prisma.user.findUnique({ where: { email } });
        if (!user) await prisma.user.create({ data: { email } });
      }
    `,
  },
});
