import { execFile, spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { chownSync, existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { createServer, type AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import pg from "pg";

const execute = promisify(execFile);

/** Where the server's own programs are: in the path, or where Debian and Ubuntu keep them. */
function folderOfServer(): string | undefined {
  const debian = "/usr/lib/postgresql";
  const versions = existsSync(debian) ? readdirSync(debian).map((version) => join(debian, version, "bin")) : [];
  return [...(process.env["PATH"] ?? "").split(delimiter), ...versions].find((folder) =>
    existsSync(join(folder, "initdb")),
  );
}

interface User {
  readonly uid: number;
  readonly gid: number;
}

export const hasOwnPostgres = process.env["CI"] !== undefined || folderOfServer() !== undefined;

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return port;
}

/** PostgreSQL refuses to run as root: then it runs as the user that its packages make. */
async function owner(): Promise<User | undefined> {
  if (process.getuid?.() !== 0) return undefined;
  const id = async (flag: string) => Number((await execute("id", [flag, "postgres"])).stdout);
  return { uid: await id("-u"), gid: await id("-g") };
}

/** A PostgreSQL server of the test's own, which may be killed. */
export class OwnPostgres {
  readonly port: number;
  readonly #folder: string;
  readonly #programs: string;
  readonly #owner: User | undefined;
  #server: ChildProcess | undefined;

  private constructor(port: number, folder: string, programs: string, user: User | undefined) {
    this.port = port;
    this.#folder = folder;
    this.#programs = programs;
    this.#owner = user;
  }

  static async start(): Promise<OwnPostgres> {
    const programs = folderOfServer();
    if (programs === undefined) throw new Error("PostgreSQL's programs are not installed");
    const user = await owner();
    const folder = mkdtempSync(join(tmpdir(), "aftercommit-postgres-"));
    if (user !== undefined) chownSync(folder, user.uid, user.gid);
    const data = join(folder, "data");
    const options = ["-D", data, "-U", "postgres", "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync"];
    await execute(join(programs, "initdb"), options, { cwd: folder, ...user });
    const server = new OwnPostgres(await freePort(), folder, programs, user);
    await server.up();
    return server;
  }

  /** Starts it, and resolves when it takes connections. */
  async up(): Promise<void> {
    const data = join(this.#folder, "data");
    const args = ["-D", data, "-h", "127.0.0.1", "-p", this.port.toString(), "-k", this.#folder];
    for (let attempt = 0; attempt < 50; attempt += 1) {
      const server = spawn(join(this.#programs, "postgres"), args, {
        cwd: this.#folder,
        stdio: "ignore",
        ...this.#owner,
      });
      this.#server = server;
      while (server.exitCode === null && server.signalCode === null) {
        if (await this.#answers()) return;
        await sleep(20);
      }
      // processes of the one that was killed still hold its memory
      await sleep(100);
    }
    throw new Error("PostgreSQL does not start again");
  }

  /** While it recovers, it listens and refuses. */
  async #answers(): Promise<boolean> {
    const client = new pg.Client({ host: "127.0.0.1", port: this.port, user: "postgres", database: "postgres" });
    try {
      await client.connect();
      await client.end();
      return true;
    } catch {
      return false;
    }
  }

  /** SIGKILL: nothing is written down, nobody is told. */
  async kill(): Promise<void> {
    await this.#end("SIGKILL");
  }

  async remove(): Promise<void> {
    await this.#end("SIGQUIT");
    rmSync(this.#folder, { recursive: true, force: true });
  }

  async #end(signal: NodeJS.Signals): Promise<void> {
    const server = this.#server;
    if (server === undefined || server.exitCode !== null || server.signalCode !== null) return;
    const gone = once(server, "exit");
    server.kill(signal);
    await gone;
  }
}
