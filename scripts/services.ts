/**
 * Starts what the tests connect to on loopback and is not there yet: PostgreSQL on 5432, MariaDB on 3306, Redis on 6379,
 * Memcached on 11211, RabbitMQ on 5672. And kcat, which runs the brokers of Kafka that the tests publish to.
 * Servers that are installed are started as they are. Where one is missing, root gets it by apt-get, and a server that
 * was installed by this lets the tests in (no password on loopback, a database `test`). Nothing else is made or changed.
 *
 * Says what it did. Exit code 1 when one of them cannot be reached in the end.
 */
import { execFile } from "node:child_process";
import { accessSync, constants, readFileSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { listens } from "./listens.ts";

interface Service {
  readonly name: string;
  readonly port: number;
  /** Whether the server is installed. */
  readonly isInstalled: () => Promise<boolean> | boolean;
  /** The package that has it on Debian and Ubuntu. */
  readonly debian: string;
  readonly start: () => Promise<unknown>;
  /** Of a server that was installed just now: lets the tests in. Before it is started, if it runs already, and after. */
  readonly admitBefore?: () => Promise<void>;
  readonly admitRunning?: () => Promise<void>;
  readonly admitAfter?: () => Promise<unknown>;
}

const isRoot = process.getuid?.() === 0;
const execute = promisify(execFile);

/** Servers are in `sbin`, which is not in everybody's path. */
const path = `${process.env["PATH"] ?? ""}${delimiter}/usr/local/sbin${delimiter}/usr/sbin${delimiter}/sbin`;

async function run(command: string, ...args: string[]): Promise<string> {
  const env = { ...process.env, PATH: path, DEBIAN_FRONTEND: "noninteractive" };
  const { stdout } = await execute(command, args, { env, timeout: 300_000, maxBuffer: 2 ** 26 });
  return stdout;
}

function has(program: string): boolean {
  return path.split(delimiter).some((folder) => {
    try {
      accessSync(join(folder, program), constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}

/** The cluster of PostgreSQL that is set up for the port, as Debian and Ubuntu keep them. */
async function cluster(): Promise<{ readonly version: string; readonly name: string } | undefined> {
  if (!has("pg_lsclusters")) return undefined;
  for (const line of (await run("pg_lsclusters", "--no-header")).split("\n")) {
    const [version, name, port] = line.split(/\s+/);
    if (version !== undefined && name !== undefined && port === "5432") return { version, name };
  }
  return undefined;
}

const services: readonly Service[] = [
  {
    name: "PostgreSQL",
    port: 5432,
    debian: "postgresql",
    isInstalled: async () => (await cluster()) !== undefined,
    async start() {
      const found = await cluster();
      if (found === undefined) throw new Error("there is no cluster for port 5432");
      await run("pg_ctlcluster", found.version, found.name, "start");
    },
    async admitBefore() {
      const found = await cluster();
      if (found === undefined) return;
      const file = `/etc/postgresql/${found.version}/${found.name}/pg_hba.conf`;
      writeFileSync(file, `host all all 127.0.0.1/32 trust\n${readFileSync(file, "utf8")}`);
    },
    async admitRunning() {
      const found = await cluster();
      if (found !== undefined) await run("pg_ctlcluster", found.version, found.name, "reload");
    },
    admitAfter: () => run("psql", "-h", "127.0.0.1", "-U", "postgres", "-c", "CREATE DATABASE test"),
  },
  {
    name: "MariaDB",
    port: 3306,
    debian: "mariadb-server",
    isInstalled: () => has("mariadbd"),
    start: () => run("service", "mariadb", "start"),
    // Whether the server looks up the name of 127.0.0.1 depends on how it is set up.
    admitAfter: () =>
      run(
        "mariadb",
        "-e",
        "ALTER USER root@localhost IDENTIFIED VIA unix_socket OR mysql_native_password USING PASSWORD(''); " +
          "CREATE USER root@127.0.0.1 IDENTIFIED VIA mysql_native_password USING PASSWORD(''); " +
          "GRANT ALL ON *.* TO root@127.0.0.1 WITH GRANT OPTION",
      ),
  },
  {
    name: "Redis",
    port: 6379,
    debian: "redis-server",
    isInstalled: () => has("redis-server"),
    // Only what the tests write, and only for them: nothing on disk.
    start: () => run("redis-server", "--daemonize", "yes", "--bind", "127.0.0.1", "--save", "", "--dir", "/tmp"),
  },
  {
    name: "Memcached",
    port: 11211,
    debian: "memcached",
    isInstalled: () => has("memcached"),
    start: () => run("memcached", "-d", "-l", "127.0.0.1", "-m", "32", ...(isRoot ? ["-u", "nobody"] : [])),
  },
  {
    name: "RabbitMQ",
    port: 5672,
    debian: "rabbitmq-server",
    isInstalled: () => has("rabbitmq-server"),
    // Whether a machine can look up its own name is none of our business.
    start: () =>
      run(
        "env",
        "RABBITMQ_NODENAME=rabbit@localhost",
        "RABBITMQ_NODE_IP_ADDRESS=127.0.0.1",
        "rabbitmq-server",
        "-detached",
      ),
  },
];

/** What starts a server may fail or wait although the server runs, so it is the port that counts. */
async function untilItListens(port: number, starting: Promise<unknown>): Promise<void> {
  let failure: unknown = new Error("it was started, but does not listen after 60 s");
  starting.catch((error: unknown) => {
    failure = error;
  });
  for (let waited = 0; waited < 600; waited += 1) {
    if (await listens(port)) return;
    await sleep(100);
  }
  throw failure;
}

async function install(debian: string): Promise<void> {
  if (!isRoot || !has("apt-get")) throw new Error("it is not installed, and only root can do that, by apt-get");
  await run("apt-get", "update", "--quiet");
  await run("apt-get", "install", "--yes", "--quiet", "--no-install-recommends", debian);
}

async function ensure(service: Service): Promise<string> {
  const { port, debian } = service;
  if (await listens(port)) return "was there already";
  let done = "started";
  const isNew = !(await service.isInstalled());
  if (isNew) {
    await install(debian);
    await service.admitBefore?.();
    done = "installed by apt-get and started";
  }
  // The package may have started it already.
  if (await listens(port)) await service.admitRunning?.();
  else await untilItListens(port, service.start());
  if (isNew) await service.admitAfter?.();
  return done;
}

async function ensureKcat(): Promise<string> {
  if (has("kcat")) return "was there already";
  await install("kcat");
  return "installed by apt-get";
}

// One after the other: apt-get takes a lock.
for (const service of services) {
  const { name, port } = service;
  try {
    console.log(`${name} (127.0.0.1:${port.toString()}): ${await ensure(service)}`);
  } catch (error) {
    process.exitCode = 1;
    console.log(
      `${name} (127.0.0.1:${port.toString()}): not there. ${error instanceof Error ? error.message : String(error)}`,
    );
  }
}
try {
  console.log(`kcat: ${await ensureKcat()}`);
} catch (error) {
  process.exitCode = 1;
  console.log(`kcat: not there. ${error instanceof Error ? error.message : String(error)}`);
}
// What still waits for a server that runs is not waited for.
process.exit();
