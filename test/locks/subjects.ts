import { spawn, type ChildProcess } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DynamoDB, waitUntilTableExists, waitUntilTableNotExists } from "@aws-sdk/client-dynamodb";
import { Redis } from "ioredis";
import Memcached from "memcached";
import { createClient } from "redis";
import { databaseLocks } from "../../src/locks/database.js";
import { locksDdl } from "../../src/locks/ddl.js";
import { dynamoDbLocks } from "../../src/locks/dynamodb.js";
import { fileLocks } from "../../src/locks/file.js";
import type { LockStore } from "../../src/locks/lock-store.js";
import { memcachedLocks } from "../../src/locks/memcached.js";
import { memoryLocks } from "../../src/locks/memory.js";
import { redisLocks } from "../../src/locks/redis.js";
import { listens } from "../../scripts/listens.js";
import { subjects as databases } from "../databases/subjects.js";
import { statementsOf } from "../ledger/statements.js";

/** A lock store on its real server, as the tests use it. */
export interface OpenedLocks {
  readonly store: LockStore;
  /** The same locks, as another process has them. */
  readonly other: LockStore;
  /** Loses every lock, as an eviction or a restart does. */
  flush(): Promise<unknown>;
  close(): Promise<unknown>;
}

export interface LockSubject {
  readonly name: string;
  /** False when the server is not there. The tests are then skipped, and fail where `CI` is set. */
  readonly available: boolean;
  open(): Promise<OpenedLocks>;
}

const inCi = process.env["CI"] !== undefined;
const [hasRedis, hasMemcached] = await Promise.all([listens(6379), listens(11211)]);
const ownName = () => `aftercommit_${process.pid.toString()}_${randomBytes(4).toString("hex")}`;

const memory: LockSubject = {
  name: "memory",
  available: true,
  open() {
    const inner = { store: memoryLocks() };
    const store: LockStore = {
      library: "memory",
      read: (key) => inner.store.read(key),
      compareAndSet: (key, change) => inner.store.compareAndSet(key, change),
    };
    const flush = () => Promise.resolve((inner.store = memoryLocks()));
    return Promise.resolve({ store, other: store, flush, close: () => Promise.resolve() });
  },
};

const file: LockSubject = {
  name: "file",
  available: true,
  open() {
    const folder = mkdtempSync(join(tmpdir(), "aftercommit-locks-"));
    const remove = () => {
      rmSync(folder, { recursive: true, force: true });
      return Promise.resolve();
    };
    return Promise.resolve({
      store: fileLocks({ folder }),
      other: fileLocks({ folder }),
      flush: remove,
      close: remove,
    });
  },
};

export const ioredis: LockSubject = {
  name: "redis by ioredis",
  available: inCi || hasRedis,
  open() {
    const prefix = ownName();
    const [client, another] = [new Redis(), new Redis()];
    const flush = async () => {
      const keys = await client.keys(`${prefix}*`);
      if (keys.length > 0) await client.del(keys);
    };
    return Promise.resolve({
      store: redisLocks(client, { prefix }),
      other: redisLocks(another, { prefix }),
      flush,
      close: async () => {
        await flush();
        await Promise.all([client.quit(), another.quit()]);
      },
    });
  },
};

const nodeRedis: LockSubject = {
  name: "redis by node-redis",
  available: inCi || hasRedis,
  async open() {
    const prefix = ownName();
    const [client, another] = [createClient(), createClient()];
    await Promise.all([client.connect(), another.connect()]);
    const flush = async () => {
      const keys = await client.keys(`${prefix}*`);
      if (keys.length > 0) await client.del(keys);
    };
    return {
      store: redisLocks(client, { prefix }),
      other: redisLocks(another, { prefix }),
      flush,
      close: async () => {
        await flush();
        await Promise.all([client.close(), another.close()]);
      },
    };
  },
};

const inDatabases: readonly LockSubject[] = databases.map((subject) => ({
  name: `database by ${subject.name}`,
  available: subject.available,
  async open() {
    const opened = await subject.open();
    const { database } = opened;
    for (const statement of statementsOf(locksDdl(database.dialect))) await database.query(statement);
    return {
      store: databaseLocks({ database }),
      other: databaseLocks({ database }),
      flush: () => database.query("delete from aftercommit_locks"),
      close: () => opened.close(),
    };
  },
}));

const memcached: LockSubject = {
  name: "memcached",
  available: inCi || hasMemcached,
  open() {
    const [client, another] = [new Memcached("127.0.0.1:11211"), new Memcached("127.0.0.1:11211")];
    // Its keys are told apart by the tests; it is flushed as a whole.
    const flush = () =>
      new Promise<void>((resolve) => {
        client.flush(() => {
          resolve();
        });
      });
    return Promise.resolve({
      store: memcachedLocks(client),
      other: memcachedLocks(another),
      flush,
      close: () => {
        client.end();
        another.end();
        return Promise.resolve();
      },
    });
  },
};

/** DynamoDB's own server needs Java; dynalite, which is written after it, does not. */
async function startDynalite(): Promise<{ readonly port: number; readonly child: ChildProcess }> {
  const program =
    'const server = require("dynalite")({ createTableMs: 0, deleteTableMs: 0 }); ' +
    'server.listen(0, "127.0.0.1", () => console.log(server.address().port));';
  const child = spawn(process.execPath, ["--no-deprecation", "-e", program], { stdio: ["ignore", "pipe", "inherit"] });
  const [said] = (await once(child.stdout, "data")) as [Buffer];
  return { port: Number(said.toString()), child };
}

const dynamoDb: LockSubject = {
  name: "dynamodb",
  available: true,
  async open() {
    const { port, child } = await startDynalite();
    const clientOf = () =>
      new DynamoDB({
        endpoint: `http://127.0.0.1:${port.toString()}`,
        region: "local",
        credentials: { accessKeyId: "none", secretAccessKey: "none" },
      });
    const [client, another] = [clientOf(), clientOf()];
    const table = "locks";
    // Making and deleting a table are answered before they are done.
    const waiting = { client, minDelay: 0.02, maxDelay: 0.1, maxWaitTime: 30 };
    const create = async () => {
      await client.createTable({
        TableName: table,
        AttributeDefinitions: [{ AttributeName: "lock_key", AttributeType: "S" }],
        KeySchema: [{ AttributeName: "lock_key", KeyType: "HASH" }],
        BillingMode: "PAY_PER_REQUEST",
      });
      await waitUntilTableExists(waiting, { TableName: table });
    };
    await create();
    return {
      store: dynamoDbLocks({ client, table }),
      other: dynamoDbLocks({ client: another, table }),
      flush: async () => {
        await client.deleteTable({ TableName: table });
        await waitUntilTableNotExists(waiting, { TableName: table });
        await create();
      },
      close: async () => {
        client.destroy();
        another.destroy();
        child.kill("SIGKILL");
        await once(child, "exit");
      },
    };
  },
};

export const lockSubjects: readonly LockSubject[] = [
  memory,
  file,
  ioredis,
  nodeRedis,
  ...inDatabases,
  memcached,
  dynamoDb,
];
