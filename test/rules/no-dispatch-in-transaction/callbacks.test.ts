import { noDispatchInTransaction as rule } from "../../../rules/no-dispatch-in-transaction.js";
import { lintCases, type Code } from "../lint-cases.js";

const queue = `import { Queue } from "bullmq"; const queue = new Queue("mail");`;

/** A call that opens a transaction around its callback; `CALLBACK` stands for the callback. */
function opening(imports: string, call: string): Code {
  const [before = "", after = ""] = call.split("CALLBACK");
  return `${queue}
${imports}
export async function place() {
  await ${before}async (tx) => {
    await queue.add("mail", { id: 1 }); // report
  }${after};
  await queue.add("mail", { id: 1 });
}`;
}

lintCases("P1: the callback is the first argument", rule, {
  Prisma: opening(
    `import { PrismaClient } from "@prisma/client"; const prisma = new PrismaClient();`,
    `prisma.$transaction(CALLBACK, { timeout: 10_000 })`,
  ),
  "Prisma, generated into the project": `${queue}
import { PrismaClient } from "../../generated/prisma/client.js"; const prisma = new PrismaClient({} as never);
export async function place() {
  await prisma.$transaction(async (tx) => {
    await tx.order.create({ data: { total: 1, user: { connect: { id: "1" } } } });
    await queue.add("mail", { id: 1 }); // report
  });
  await queue.add("mail", { id: 1 });
}`,
  "Prisma with extensions": `${queue}
import { PrismaClient } from "@prisma/client"; const prisma = new PrismaClient().$extends({ name: "log" });
export async function place() {
  await prisma.$transaction(async (tx) => {
    await tx.order.findMany();
    await queue.add("mail", { id: 1 }); // report
  });
}`,
  "Prisma, injected as a service that extends the client": `${queue}
import { Injectable } from "@nestjs/common"; import { PrismaClient } from "@prisma/client";
@Injectable() export class PrismaService extends PrismaClient {}
export class Orders {
  constructor(private readonly prisma: PrismaService) {}
  async place() {
    await this.prisma.$transaction(async (tx) => {
      await tx.order.findMany();
      await queue.add("mail", { id: 1 }); // report
    });
  }
}`,
  Drizzle: opening(
    `import { drizzle } from "drizzle-orm/node-postgres"; const db = drizzle("postgres://x");`,
    `db.transaction(CALLBACK, { isolationLevel: "serializable" })`,
  ),
  "Drizzle on MySQL": opening(
    `import { drizzle } from "drizzle-orm/mysql2"; const db = drizzle("mysql://x");`,
    `db.transaction(CALLBACK)`,
  ),
  "Drizzle on libsql": opening(
    `import { drizzle } from "drizzle-orm/libsql"; const db = drizzle("file:x");`,
    `db.transaction(CALLBACK)`,
  ),
  Knex: opening(`import knexLib from "knex"; const knex = knexLib({});`, `knex.transaction(CALLBACK)`),
  "Knex, imported by name": opening(
    `import { knex as makeKnex } from "knex"; const knex = makeKnex({});`,
    `knex.transaction(CALLBACK)`,
  ),
  MongoDB: opening(
    `import { MongoClient } from "mongodb"; const session = new MongoClient("x").startSession();`,
    `session.withTransaction(CALLBACK)`,
  ),
  "Mongoose, of a connection": opening(`import mongoose from "mongoose";`, `mongoose.connection.transaction(CALLBACK)`),
  "Mongoose, of a session": `${queue}
import mongoose from "mongoose";
export async function place() {
  const session = await mongoose.startSession();
  await session.withTransaction(async () => {
    await queue.add("mail", { id: 1 }); // report
  });
}`,
  "Mongoose, injected": `${queue}
import { InjectConnection } from "@nestjs/mongoose"; import { Connection } from "mongoose";
export class Orders {
  constructor(@InjectConnection() private readonly connection: Connection) {}
  async place() {
    await this.connection.transaction(async (session) => {
      await queue.add("mail", { id: 1 }); // report
    });
  }
}`,
  Slonik: opening(
    `import { createPool } from "slonik"; const pool = await createPool("postgres://x");`,
    `pool.transaction(CALLBACK, 0)`,
  ),
  PGlite: opening(
    `import { PGlite } from "@electric-sql/pglite"; const db = new PGlite();`,
    `db.transaction(CALLBACK)`,
  ),
  Firestore: opening(
    `import { Firestore } from "@google-cloud/firestore"; const firestore = new Firestore();`,
    `firestore.runTransaction(CALLBACK, { maxAttempts: 3 })`,
  ),
  Lucid: opening(`import db from "@adonisjs/lucid/services/db";`, `db.transaction(CALLBACK)`),
  Bookshelf: opening(
    `import bookshelfLib from "bookshelf"; import knexLib from "knex"; const bookshelf = bookshelfLib(knexLib({}) as never);`,
    `bookshelf.transaction(CALLBACK)`,
  ),
  Objection: opening(`import { Model } from "objection"; class Order extends Model {}`, `Order.transaction(CALLBACK)`),
  MikroORM: `${queue}
import type { EntityManager } from "@mikro-orm/postgresql";
export async function place(em: EntityManager) {
  await em.transactional(async (tx) => {
    await queue.add("mail", { id: 1 }); // report
  });
  await queue.add("mail", { id: 1 });
}`,
  ZenStack: opening(
    `import { ZenStackClient } from "@zenstackhq/orm"; const db = new ZenStackClient({} as never, {} as never);`,
    `db.$transaction(CALLBACK)`,
  ),
  remult: opening(`import { remult } from "remult";`, `remult.dataProvider.transaction(CALLBACK)`),
});

lintCases("P2: the callback is the last argument", rule, {
  TypeORM: opening(
    `import { DataSource } from "typeorm"; const dataSource = new DataSource({} as never);`,
    `dataSource.transaction("SERIALIZABLE", CALLBACK)`,
  ),
  "TypeORM, of a repository's manager": `${queue}
import { Repository } from "typeorm"; import { InjectRepository } from "@nestjs/typeorm"; class Order {}
export class Orders {
  constructor(@InjectRepository(Order) private readonly orders: Repository<Order>) {}
  async place() {
    await this.orders.manager.transaction(async (manager) => {
      await manager.save(new Order());
      await queue.add("mail", { id: 1 }); // report
    });
  }
}`,
  Sequelize: opening(
    `import { Sequelize } from "sequelize"; const sequelize = new Sequelize("x");`,
    `sequelize.transaction({ readOnly: false }, CALLBACK)`,
  ),
  "sequelize-typescript": opening(
    `import { Sequelize } from "sequelize-typescript"; const sequelize = new Sequelize("x");`,
    `sequelize.transaction(CALLBACK)`,
  ),
  "Sequelize 7": opening(
    `import { Sequelize } from "@sequelize/core"; const sequelize = new Sequelize({} as never);`,
    `sequelize.transaction({ readOnly: false }, CALLBACK)`,
  ),
  "pg-promise": opening(
    `import pgPromise from "pg-promise"; const pgp = pgPromise(); const db = pgp("postgres://x");`,
    `db.tx({ tag: "place-order" }, CALLBACK)`,
  ),
  "postgres.js, where the handle shadows the client": `${queue}
import postgres from "postgres"; const sql = postgres("x");
export async function place() {
  await sql.begin("isolation level serializable", async (sql) => {
    await sql\`insert into orders default values\`;
    await queue.add("mail", { id: 1 }); // report
    await sql.savepoint(async (sql) => {
      await queue.add("mail", { id: 1 }); // report
    });
  });
  await queue.add("mail", { id: 1 });
}`,
  "Objection's function with model classes": `${queue}
import { Model, transaction } from "objection"; class Order extends Model {} class User extends Model {}
export async function place() {
  await transaction(Order, User, async (BoundOrder, BoundUser, trx) => {
    await queue.add("mail", { id: 1 }); // report
  });
}`,
  "Objection with a parent": opening(
    `import { Model } from "objection"; import knexLib from "knex"; const knex = knexLib({}); class Order extends Model {}`,
    `Order.transaction(knex, CALLBACK)`,
  ),
  "@nestjs-cls/transactional": `${queue}
import { TransactionHost, Propagation } from "@nestjs-cls/transactional";
export class Orders {
  constructor(private readonly txHost: TransactionHost) {}
  async place() {
    await this.txHost.withTransaction(Propagation.RequiresNew, async () => {
      await queue.add("mail", { id: 1 }); // report
    });
    await queue.add("mail", { id: 1 });
  }
}`,
});

lintCases("P3: a builder opens the scope in a later member", rule, {
  Kysely: `${queue}
import { Kysely } from "kysely"; const db = new Kysely<any>({} as never);
export async function place() {
  await db.transaction().setIsolationLevel("serializable").execute(async (trx) => {
    await queue.add("mail", { id: 1 }); // report
  });
  await queue.add("mail", { id: 1 });
}`,
  "Kysely, the builder in a constant": `${queue}
import { Kysely } from "kysely"; const db = new Kysely<any>({} as never);
export async function place() {
  const builder = db.transaction();
  await builder.execute(async (trx) => {
    await queue.add("mail", { id: 1 }); // report
  });
}`,
});

lintCases("P4: a nested call on the handle is still inside", rule, {
  Drizzle: `${queue}
import { drizzle } from "drizzle-orm/node-postgres"; const db = drizzle("postgres://x");
export async function place() {
  await db.transaction(async (tx) => {
    await tx.transaction(async (savepoint) => {
      await savepoint.execute("select 1");
      await queue.add("mail", { id: 1 }); // report
    });
    await queue.add("mail", { id: 1 }); // report
  });
}`,
  Knex: `${queue}
import knexLib from "knex"; const knex = knexLib({});
export async function place() {
  await knex.transaction(async (trx) => {
    await trx.transaction(async (inner) => { await inner("orders").insert({}); });
    await queue.add("mail", { id: 1 }); // report
  });
}`,
  TypeORM: `${queue}
import { DataSource } from "typeorm"; const dataSource = new DataSource({} as never);
export async function place() {
  await dataSource.transaction(async (manager) => {
    await manager.transaction(async (inner) => {
      await queue.add("mail", { id: 1 }); // report
    });
    await queue.add("mail", { id: 1 }); // report
  });
}`,
  Slonik: `${queue}
import type { DatabasePool } from "slonik";
export async function place(pool: DatabasePool) {
  await pool.transaction(async (trx) => {
    await trx.transaction(async (inner) => {
      await queue.add("mail", { id: 1 }); // report
    });
  });
}`,
  "pg-promise": `${queue}
import pgPromise from "pg-promise"; const pgp = pgPromise(); const db = pgp("postgres://x");
export async function place() {
  await db.tx(async (t) => {
    await t.tx(async (inner) => {
      await queue.add("mail", { id: 1 }); // report
    });
  });
}`,
});

lintCases("P5: a nested call on the outer client is a transaction of its own", rule, {
  "what it dispatches after its own end is inside the outer one": `${queue}
import { PrismaClient } from "@prisma/client"; const prisma = new PrismaClient();
export async function place() {
  await prisma.$transaction(async (tx) => {
    await prisma.$transaction(async (other) => { await other.order.findMany(); });
    await queue.add("mail", { id: 1 }); // report
  });
}`,
});

lintCases("P6: the callback is passed by name, as a method, or bound", rule, {
  "a function's name": `${queue}
import { PrismaClient, type Prisma } from "@prisma/client"; const prisma = new PrismaClient();
async function place(tx: Prisma.TransactionClient) {
  await tx.order.findMany();
  await queue.add("mail", { id: 1 }); // report
}
export const run = () => prisma.$transaction(place);`,
  "a constant": `${queue}
import { DataSource, type EntityManager } from "typeorm"; const dataSource = new DataSource({} as never);
const place = async (manager: EntityManager) => {
  await queue.add("mail", { id: 1 }); // report
};
export const run = () => dataSource.transaction(place);`,
  "a bound method": `${queue}
import knexLib, { type Knex } from "knex"; const knex = knexLib({});
export class Orders {
  async run() { await knex.transaction(this.place.bind(this)); }
  private async place(trx: Knex.Transaction) {
    await trx("orders").insert({});
    await queue.add("mail", { id: 1 }); // report
  }
}`,
  "a method of a service, one call away": {
    "main.ts": `import knexLib from "knex"; import { Orders } from "./orders.js"; const knex = knexLib({});
export class Checkout {
  constructor(private readonly orders: Orders) {}
  async run() {
    await knex.transaction((trx) => this.orders.place(trx, { id: 1 })); // report typed
  }
}`,
    "orders.ts": `${queue} import type { Knex } from "knex";
export class Orders {
  async place(trx: Knex.Transaction, dto: { id: number }) {
    await trx("orders").insert(dto);
    await queue.add("mail", dto); // report
  }
}`,
  },
  "a function of another file, handed over by name": {
    "main.ts": `import { DataSource } from "typeorm"; import { place } from "./place.js"; const dataSource = new DataSource({} as never);
export const run = () => dataSource.transaction(place); // report typed`,
    "place.ts": `${queue} import type { EntityManager } from "typeorm";
export async function place(manager: EntityManager) {
  await queue.add("mail", {});
}`,
  },
});

lintCases("P10: functions that open a transaction around a function", rule, {
  "typeorm-transactional": `${queue}
import { runInTransaction, wrapInTransaction, Propagation } from "typeorm-transactional";
export const place = wrapInTransaction(async (id: number) => {
  await queue.add("mail", { id }); // report
});
export async function run() {
  await runInTransaction(async () => {
    await queue.add("mail", {}); // report
  });
  await runInTransaction(async () => {
    await queue.add("mail", {});
  }, { propagation: Propagation.NOT_SUPPORTED });
}`,
  "typeorm-transactional-cls-hooked": `${queue}
import { runInTransaction } from "typeorm-transactional-cls-hooked";
export const run = () => runInTransaction(async () => {
  await queue.add("mail", {}); // report
});`,
  "@nestjs-cls/transactional by its static instance": `${queue}
import { TransactionHost } from "@nestjs-cls/transactional";
export const run = () => TransactionHost.getInstance().withTransaction(async () => {
  await queue.add("mail", {}); // report
});`,
  "Orchid ORM": `${queue}
import { orchidORM } from "orchid-orm/node-postgres"; const db = orchidORM({} as never, {});
export async function run() {
  await db.$ensureTransaction(async () => {
    await queue.add("mail", {}); // report
  });
  await db.$transaction("SERIALIZABLE", async () => {
    await queue.add("mail", {}); // report
  });
}`,
  "@transactional/core": `${queue}
import { transactional } from "@transactional/core";
export const place = transactional(async () => {
  await queue.add("mail", {}); // report
});`,
  "@databases/pg": `${queue}
import createConnectionPool from "@databases/pg"; const db = createConnectionPool("x");
export const run = () => db.tx(async (tx) => {
  await queue.add("mail", {}); // report
});`,
  "Neo4j, Gel, PlanetScale, ArangoDB": `${queue}
import neo4j from "neo4j-driver"; import { createClient } from "gel"; import { connect } from "@planetscale/database"; import { Database } from "arangojs";
const session = neo4j.driver("x").session(); const gel = createClient(); const planet = connect({}); const arango = new Database();
export async function run() {
  await session.executeWrite(async (tx) => {
    await queue.add("mail", {}); // report
  });
  await gel.transaction(async (tx) => {
    await queue.add("mail", {}); // report
  });
  await planet.transaction(async (tx) => {
    await queue.add("mail", {}); // report
  });
  await arango.withTransaction({} as never, async (step) => {
    await queue.add("mail", {}); // report
  });
}`,
});

lintCases("P16: a synchronous transaction function that is called later", rule, {
  "better-sqlite3": `${queue}
import Database from "better-sqlite3"; const db = new Database("x");
const place = db.transaction((id: number) => {
  void queue.add("mail", { id }); // report
});
export function run() {
  place.immediate(1);
  void queue.add("mail", {});
}`,
  "bun:sqlite": `${queue}
import { Database } from "bun:sqlite"; const db = new Database("x");
export const place = db.transaction((id: number) => {
  void queue.add("mail", { id }); // report
});`,
  "P17: an async function, of which only the first part is inside, is reported as a whole": `${queue}
import Database from "better-sqlite3"; const db = new Database("x");
export const place = db.transaction(async (id: number) => {
  await queue.add("mail", { id }); // report
});`,
});

lintCases("P23: forms that take an array run no code of the caller", rule, {
  Prisma: `${queue}
import { PrismaClient } from "@prisma/client"; const prisma = new PrismaClient();
export async function place() {
  await prisma.$transaction([prisma.order.findMany(), prisma.outbox.findMany()]);
  await queue.add("mail", {});
}`,
  "Drizzle, libsql": `${queue}
import { drizzle } from "drizzle-orm/libsql"; import { createClient } from "@libsql/client";
const client = createClient({ url: "file:x" }); const db = drizzle(client);
export async function place() {
  await queue.add("mail", {});
  await db.batch([db.run("select 1")]);
  await client.batch(["select 1"], "write");
  await queue.add("mail", {});
}`,
  "Neon over HTTP, whose function runs before anything is sent": `${queue}
import { neon } from "@neondatabase/serverless"; const sql = neon("x");
export async function place() {
  await sql.transaction((txn) => { void queue.add("mail", {}); return [txn\`select 1\`]; });
  await queue.add("mail", {});
}`,
});

lintCases("P26: helpers inside the callback", rule, {
  "Promise.all, loops, and functions that are called": `${queue}
import { DataSource } from "typeorm"; const dataSource = new DataSource({} as never);
declare const users: { id: string }[]; declare function stream(): AsyncIterable<string>;
export async function place() {
  await dataSource.transaction(async (manager) => {
    await Promise.all([
      manager.save({}),
      queue.add("mail", {}), // report
    ]);
    await Promise.all(users.map((user) =>
      queue.add("mail", user), // report
    ));
    for await (const id of stream()) {
      await queue.add("mail", { id }); // report
    }
    (() => {
      void queue.add("mail", {}); // report
    })();
    const notify = () => queue.add("mail", {}); // report
    await notify();
  });
}`,
  "a function that is only defined does not run": `${queue}
import { DataSource } from "typeorm"; const dataSource = new DataSource({} as never);
export async function place() {
  let notify: () => Promise<unknown> = async () => undefined;
  await dataSource.transaction(async (manager) => {
    const later = () => queue.add("mail", {});
    notify = () => queue.add("mail", {});
    return later;
  });
  await notify();
}`,
});
