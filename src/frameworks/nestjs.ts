import {
  Inject,
  Logger,
  Module,
  SetMetadata,
  type BeforeApplicationShutdown,
  type DynamicModule,
  type FactoryProvider,
  type ModuleMetadata,
  type OnApplicationBootstrap,
  type OnApplicationShutdown,
  type Provider,
} from "@nestjs/common";
import { DiscoveryModule, DiscoveryService, MetadataScanner, Reflector } from "@nestjs/core";
import type { Seconds } from "../duration.js";
import { ConfigurationError } from "../errors.js";
import type { Outbox } from "../outbox/outbox.js";
import { createRelay, type Relay, type RelayOptions } from "../outbox/relay.js";
import type { Queue } from "../queue.js";
import type { TransactionManager } from "../transaction-manager.js";
import { startWorker, type FailedJob, type Job, type Worker, type WorkerOptions } from "../worker/worker.js";

export interface AftercommitModuleOptions {
  readonly transactions: TransactionManager;
  /** Injected by their names, and worked by the methods that are decorated with `JobHandler`. */
  readonly queues: readonly Queue[];
  readonly outbox?: Outbox;
  /** How the relay of the outbox runs in this application, or false where it runs elsewhere. Default: it runs here. */
  readonly relay?: Omit<RelayOptions, "outbox"> | false;
  /** False where the handlers run elsewhere. Default: they run here. */
  readonly workers?: boolean;
  /** How long a shutdown waits for jobs that run, in seconds; then they are given back. Default: their timeout ends them. */
  readonly stopDeadline?: Seconds;
  /** Called when all of it has ended: close pools and the connections of queues here. */
  readonly close?: () => unknown;
}

export interface AftercommitModuleAsyncOptions {
  readonly imports?: ModuleMetadata["imports"];
  readonly inject?: FactoryProvider["inject"];
  readonly useFactory: FactoryProvider<AftercommitModuleOptions | Promise<AftercommitModuleOptions>>["useFactory"];
  /** The names of the queues that the factory makes, so that they can be injected. */
  readonly queues: readonly string[];
}

const optionsToken = Symbol("options of aftercommit");
const transactionsToken = Symbol("transactions of aftercommit");
const outboxToken = Symbol("outbox of aftercommit");

/** The token of a queue, to replace it in tests: `overrideProvider(getQueueToken("orders"))`. */
export function getQueueToken(queue: Queue | string): string {
  return `aftercommit queue ${nameOf(queue)}`;
}

/** Injects the queue of this name. */
export function InjectQueue(queue: Queue | string): ReturnType<typeof Inject> {
  return Inject(getQueueToken(queue));
}

/** Injects the transaction manager that the module was given. */
export function InjectTransactions(): ReturnType<typeof Inject> {
  return Inject(transactionsToken);
}

/** Injects the outbox that the module was given. */
export function InjectOutbox(): ReturnType<typeof Inject> {
  return Inject(outboxToken);
}

/** A decorator of a method that takes `Argument`. */
type MethodTaking<Argument> = <Method extends (argument: Argument) => unknown>(
  target: object,
  name: string | symbol,
  descriptor: TypedPropertyDescriptor<Method>,
) => void;

interface HandlerMetadata {
  readonly queue: string;
  readonly options: WorkerOptions<never>;
}

const handlerKey = "aftercommit:job-handler";
const failedKey = "aftercommit:on-job-failed";

/**
 * The method handles the jobs of a queue. Of a provider that lives as long as the application; one for each queue.
 *
 * @param queue the queue itself, by which the method's parameter is checked, or its name
 * @param options what `startWorker` takes. Default of `onError`: Nest's logger
 */
export function JobHandler<Payload>(
  queue: Queue<never, Payload>,
  options?: WorkerOptions<Payload>,
): MethodTaking<Job<Payload>>;
export function JobHandler(queue: string, options?: WorkerOptions<never>): MethodTaking<Job<never>>;
export function JobHandler(queue: Queue | string, options: WorkerOptions<never> = {}): MethodTaking<Job<never>> {
  return SetMetadata(handlerKey, { queue: nameOf(queue), options } satisfies HandlerMetadata);
}

/** The method is told of each job of a queue that is given up, as the `onFailed` of a worker is. */
export function OnJobFailed<Payload>(queue: Queue<never, Payload>): MethodTaking<FailedJob<Payload>>;
export function OnJobFailed(queue: string): MethodTaking<FailedJob<never>>;
export function OnJobFailed(queue: Queue | string): MethodTaking<FailedJob<never>> {
  return SetMetadata(failedKey, nameOf(queue));
}

function nameOf(queue: Queue | string): string {
  return typeof queue === "string" ? queue : queue.name;
}

/**
 * Queues, transactions and outbox for a Nest application. When it has started, the methods that are decorated with
 * `JobHandler` handle the jobs of their queues, and the relay of the outbox runs. When it is closed
 * (`app.enableShutdownHooks()`, or `app.close()`), they take nothing more and end what they have, before the server
 * stops listening.
 *
 * Its providers are global. Import it once.
 */
// Nest knows a module by its class.
// eslint-disable-next-line @typescript-eslint/no-extraneous-class
export class AftercommitModule {
  static forRoot(options: AftercommitModuleOptions): DynamicModule {
    return moduleOf(
      { provide: optionsToken, useValue: options },
      options.queues.map(({ name }) => name),
    );
  }

  /** @param options.queues the names of the queues that the factory makes */
  static forRootAsync(options: AftercommitModuleAsyncOptions): DynamicModule {
    const { imports = [], inject = [], useFactory, queues } = options;
    return moduleOf({ provide: optionsToken, inject, useFactory }, queues, imports);
  }
}
Module({})(AftercommitModule);

function moduleOf(
  options: Provider,
  queues: readonly string[],
  imports: ModuleMetadata["imports"] = [],
): DynamicModule {
  const fromOptions = (provide: string | symbol, of: (options: AftercommitModuleOptions) => unknown): Provider => ({
    provide,
    inject: [optionsToken],
    useFactory: of,
  });
  const forUse = [
    ...queues.map((name) => fromOptions(getQueueToken(name), ({ queues: made }) => queueOf(made, name))),
    fromOptions(transactionsToken, ({ transactions }) => transactions),
    fromOptions(outboxToken, ({ outbox }) => outbox),
  ];
  return {
    module: AftercommitModule,
    global: true,
    imports: [...imports, DiscoveryModule],
    providers: [
      options,
      ...forUse,
      {
        provide: JobRunner,
        inject: [optionsToken, DiscoveryService, MetadataScanner, Reflector],
        useFactory: (...parts: ConstructorParameters<typeof JobRunner>) => new JobRunner(...parts),
      },
    ],
    exports: forUse.map((provider) => (provider as FactoryProvider).provide),
  };
}

function queueOf(queues: readonly Queue[], name: string): Queue {
  const queue = queues.find((one) => one.name === name);
  if (queue !== undefined) return queue;
  throw new ConfigurationError(
    `There is no queue "${name}" among the \`queues\` of AftercommitModule (${queues.map((one) => one.name).join(", ")}).`,
  );
}

/** A decorated method of an instance. */
interface Found<Metadata> {
  readonly metadata: Metadata;
  readonly place: string;
  readonly call: (argument: unknown) => unknown;
}

/** Starts the workers and the relay with the application, and stops them with it. */
class JobRunner implements OnApplicationBootstrap, BeforeApplicationShutdown, OnApplicationShutdown {
  readonly #options: AftercommitModuleOptions;
  readonly #discovery: DiscoveryService;
  readonly #scanner: MetadataScanner;
  readonly #reflector: Reflector;
  readonly #logger = new Logger("Aftercommit");
  readonly #workers: Worker[] = [];
  #relay: Relay | undefined;

  constructor(
    options: AftercommitModuleOptions,
    discovery: DiscoveryService,
    scanner: MetadataScanner,
    reflector: Reflector,
  ) {
    this.#options = options;
    this.#discovery = discovery;
    this.#scanner = scanner;
    this.#reflector = reflector;
  }

  async onApplicationBootstrap(): Promise<void> {
    const { outbox, relay = {}, workers = true } = this.#options;
    try {
      if (workers) await this.#startWorkers();
      if (outbox === undefined || relay === false) return;
      this.#relay = createRelay({
        onError: (error, { queue = "", doing }) => {
          this.#report(`Relay, ${doing} ${queue}`, error);
        },
        onGivenUp: ({ queue, id, error }) => {
          this.#report(`Job ${id} of queue "${queue}" could not be sent and was given up`, error);
        },
        ...relay,
        outbox,
      });
      await this.#relay.start();
    } catch (error) {
      await this.beforeApplicationShutdown();
      throw error;
    }
  }

  async beforeApplicationShutdown(): Promise<void> {
    const { stopDeadline } = this.#options;
    const stop = stopDeadline === undefined ? {} : { deadline: stopDeadline };
    await Promise.all([...this.#workers.splice(0).map((worker) => worker.stop(stop)), this.#relay?.stop()]);
  }

  /** After the requests that were still under way, which may have enqueued jobs. */
  async onApplicationShutdown(): Promise<void> {
    await this.#options.outbox?.idle();
    await this.#options.close?.();
  }

  async #startWorkers(): Promise<void> {
    const handlers = byQueue(this.#find<HandlerMetadata>(handlerKey), ({ queue }) => queue, "JobHandler");
    const hooks = byQueue(this.#find<string>(failedKey), (queue) => queue, "OnJobFailed");
    for (const [name, { place }] of hooks) {
      if (!handlers.has(name))
        throw new ConfigurationError(`${place} hears of queue "${name}", which has no \`JobHandler\`.`);
    }
    const checked = [...handlers].map(([name, found]) => ({ queue: queueOf(this.#options.queues, name), ...found }));
    for (const { queue, metadata, call } of checked) {
      const hook = hooks.get(queue.name);
      const worker = await startWorker(queue, call, {
        onError: (error) => {
          this.#report(`Queue "${queue.name}"`, error);
        },
        ...(metadata.options as WorkerOptions),
        ...(hook === undefined ? {} : { onFailed: hook.call }),
      });
      this.#workers.push(worker);
    }
  }

  #find<Metadata>(key: string): Found<Metadata>[] {
    const found: Found<Metadata>[] = [];
    const seen = new Set<unknown>();
    for (const wrapper of this.#discovery.getProviders()) {
      const { metatype } = wrapper;
      const instance: unknown = wrapper.instance;
      const prototype: unknown =
        typeof instance === "object" && instance !== null ? Object.getPrototypeOf(instance) : metatype?.prototype;
      if (typeof prototype !== "object" || prototype === null) continue;
      for (const name of this.#scanner.getAllMethodNames(prototype)) {
        const method = (prototype as Record<string, (this: unknown, argument: unknown) => unknown>)[name];
        const metadata = method && this.#reflector.get<Metadata | undefined>(key, method);
        if (method === undefined || metadata === undefined) continue;
        const place = `${wrapper.name as string}.${name}`;
        if (!wrapper.isDependencyTreeStatic()) {
          throw new ConfigurationError(
            `${place} cannot handle jobs: its provider is made for each request, and a job is none. Let it live as long ` +
              "as the application, and take what it needs from the job.",
          );
        }
        // A provider has other names too: `useExisting`.
        if (!seen.has(instance)) found.push({ metadata, place, call: (argument) => method.call(instance, argument) });
      }
      seen.add(instance);
    }
    return found;
  }

  #report(what: string, error: unknown): void {
    this.#logger.error(`${what}: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`);
  }
}

function byQueue<Metadata>(
  found: readonly Found<Metadata>[],
  queueOfOne: (metadata: Metadata) => string,
  decorator: string,
): Map<string, Found<Metadata>> {
  const queues = new Map<string, Found<Metadata>>();
  for (const one of found) {
    const queue = queueOfOne(one.metadata);
    const other = queues.get(queue);
    if (other !== undefined) {
      throw new ConfigurationError(
        `Queue "${queue}" has two methods with \`${decorator}\`: ${other.place} and ${one.place}. Leave one.`,
      );
    }
    queues.set(queue, one);
  }
  return queues;
}
