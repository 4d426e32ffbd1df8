import http from "node:http";
import https from "node:https";
import { syncBuiltinESMExports } from "node:module";
import { inTransaction } from "../ambient.js";
import { ConfigurationError } from "../errors.js";
import { EffectInTransactionError } from "./testing-errors.js";

export interface EffectGuardOptions {
  /** Beginnings of the URLs that may be called all the same, such as "http://127.0.0.1:4318/". */
  readonly allow?: readonly string[];
  /** Told instead of throwing, and the effect takes place: for staging. */
  readonly report?: (error: EffectInTransactionError) => void;
}

export interface EffectGuard {
  /**
   * Guards methods of a client of your own, such as a queue's `add` or a mailer's `sendMail`.
   *
   * @throws ConfigurationError when it has no such method
   */
  watch<Client extends object>(client: Client, ...methods: readonly (keyof Client & string)[]): void;

  /** Takes everything back. */
  stop(): void;
}

/** Two at once would put back each other's functions. */
let isOn = false;

type Method = (...args: unknown[]) => unknown;

/**
 * Has effects that leave the process throw while a transaction of this package is open in the same async context:
 * `fetch`, requests of `node:http` and `node:https`, and methods that `watch` is given. For tests and staging; it
 * replaces global functions. What runs after the commit is not concerned.
 *
 * @throws ConfigurationError while another guard is on
 */
export function guardTransactions({ allow = [], report }: EffectGuardOptions = {}): EffectGuard {
  if (isOn) throw new ConfigurationError("`guardTransactions` is on already. Stop the first guard before.");
  isOn = true;
  const undo: (() => void)[] = [];

  const check = (effect: string) => {
    if (!inTransaction()) return;
    const error = new EffectInTransactionError(effect);
    if (report === undefined) throw error;
    report(error);
  };

  const replace = <Client extends object>(
    client: Client,
    key: keyof Client & string,
    before: (args: unknown[]) => void,
  ) => {
    const method: unknown = client[key];
    if (typeof method !== "function") throw new ConfigurationError(`What is to be watched has no method \`${key}\`.`);
    const own = Object.getOwnPropertyDescriptor(client, key);
    const guarded = function (this: unknown, ...args: unknown[]): unknown {
      before(args);
      return Reflect.apply(method as Method, this, args);
    };
    Object.defineProperty(client, key, { value: guarded, configurable: true, writable: true, enumerable: true });
    undo.push(() => {
      if (own === undefined) Reflect.deleteProperty(client, key);
      else Object.defineProperty(client, key, own);
    });
  };

  const checkRequest = (method: string, url: string) => {
    if (!allow.some((beginning) => url.startsWith(beginning))) check(`${method} ${url}`);
  };

  for (const [library, protocol] of [
    [http, "http:"],
    [https, "https:"],
  ] as const) {
    for (const key of ["request", "get"] as const) {
      replace(library, key, (args) => {
        const { method, url } = requestOf(protocol, args);
        checkRequest(method, url);
      });
    }
  }
  const original = globalThis.fetch;
  globalThis.fetch = async (input, init) => {
    const request = input instanceof Request ? input : undefined;
    const url = input instanceof Request ? input.url : input.toString();
    checkRequest((init?.method ?? request?.method ?? "GET").toUpperCase(), url);
    return original(input, init);
  };
  undo.push(() => {
    globalThis.fetch = original;
  });
  syncBuiltinESMExports();

  return {
    watch(client, ...methods) {
      for (const key of methods) {
        replace(client, key, () => {
          check(`\`${client.constructor.name}.${key}\``);
        });
      }
    },

    stop() {
      if (undo.length > 0) isOn = false;
      for (const back of undo.splice(0).reverse()) back();
      syncBuiltinESMExports();
    },
  };
}

/** What a call of `request` is about: a URL, options, or both; the options win. */
function requestOf(protocol: string, args: readonly unknown[]): { readonly method: string; readonly url: string } {
  const [first, second] = args;
  const options = (typeof first === "string" || first instanceof URL ? second : first) as
    http.RequestOptions | undefined;
  const given = typeof first === "string" || first instanceof URL ? new URL(first) : undefined;
  const host = options?.hostname ?? options?.host ?? given?.hostname ?? "localhost";
  const port = options?.port ?? given?.port ?? "";
  const path = options?.path ?? (given === undefined ? "/" : `${given.pathname}${given.search}`);
  const authority = port === "" ? host : `${host}:${String(port)}`;
  const method = options?.method ?? "GET";
  return {
    method: method.toUpperCase(),
    url: `${options?.protocol ?? given?.protocol ?? protocol}//${authority}${path}`,
  };
}
