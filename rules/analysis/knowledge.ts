import type { Library, Member, OneOrMore, Statement } from "../catalogue/vocabulary.js";
import { matchesFile, matchesModule } from "./file-pattern.js";
import { withoutTypes } from "./package-of.js";
import type { Ref } from "./semantics.js";

/** The sections of an entry that are lists of things with members. */
type Section =
  | "dispatches"
  | "handlers"
  | "identities"
  | "keys"
  | "transactions"
  | "manual"
  | "sql"
  | "decorators"
  | "handles"
  | "hooks"
  | "afterCommit"
  | "outside"
  | "effects"
  | "randoms"
  | "clocks"
  | "calendar"
  | "objects"
  | "passedOn"
  | "reads"
  | "inserts"
  | "memoised"
  | "stores"
  | "insertIgnores"
  | "runners"
  | "locks";

export type EntryOf<S extends Section> = NonNullable<Library[S]>[number];

/** Something that the catalogue says about a member, with the library that says it. */
export interface Known<Entry> {
  readonly library: Library;
  readonly entry: Entry;
}

interface Pattern<Entry> extends Known<Entry> {
  readonly container: string | undefined;
}

type Form = "member" | "new" | "decorator";

/** One index a kind of member, by the member's last name. */
export class MemberIndex<Entry> {
  readonly #patterns = new Map<string, Pattern<Entry>[]>();

  constructor(
    libraries: readonly Library[],
    form: Form,
    membersOf: (library: Library) => readonly (readonly [Entry, OneOrMore<Member> | undefined])[],
  ) {
    for (const library of libraries) {
      for (const [entry, members] of membersOf(library)) {
        for (const member of oneOrMore(members)) {
          const parsed = parseMember(member);
          if (parsed.form !== form) continue;
          const list = this.#patterns.get(parsed.name) ?? [];
          list.push({ library, entry, container: parsed.container });
          this.#patterns.set(parsed.name, list);
        }
      }
    }
  }

  /** Whether a member of this name could be meant: asked before any question about types. */
  hasName(name: string | undefined): boolean {
    return name !== undefined && this.#patterns.has(name);
  }

  /** Everything that is known of members of a name, whichever library's. */
  named(name: string | undefined): readonly Known<Entry>[] {
    return (name === undefined ? undefined : this.#patterns.get(name)) ?? [];
  }

  get names(): Iterable<string> {
    return this.#patterns.keys();
  }

  find(refs: readonly Ref[]): readonly Known<Entry>[] {
    return refs.flatMap((ref) =>
      (this.#patterns.get(ref.name) ?? []).filter(
        (pattern) => containerFits(pattern.container, ref) && libraryDeclares(pattern.library, ref),
      ),
    );
  }
}

/** Whether refs are one of a library's members. */
export function isOneOf(
  members: OneOrMore<Member> | undefined,
  form: Form,
  library: Library,
  refs: readonly Ref[],
): boolean {
  return oneOrMore(members).some((member) => {
    const parsed = parseMember(member);
    return (
      parsed.form === form &&
      refs.some(
        (ref) => ref.name === parsed.name && containerFits(parsed.container, ref) && libraryDeclares(library, ref),
      )
    );
  });
}

export function oneOrMore<T>(value: OneOrMore<T> | undefined): readonly T[] {
  if (value === undefined) return [];
  return Array.isArray(value) ? (value as readonly T[]) : [value as T];
}

export function parseMember(member: Member): { form: Form; container: string | undefined; name: string } {
  if (member.startsWith("@")) return { form: "decorator", container: undefined, name: member.slice(1) };
  const form = member.startsWith("new ") ? "new" : "member";
  const bare = form === "new" ? member.slice(4) : member;
  const dot = bare.lastIndexOf(".");
  return { form, container: dot === -1 ? undefined : bare.slice(0, dot), name: bare.slice(dot + 1) };
}

function containerFits(wanted: string | undefined, ref: Ref): boolean {
  // `*` is a whole module too (`import * as bullmq`): what it exports has no container
  return wanted === ref.container || wanted === "*" || ref.container === "*";
}

const packagesOf = new WeakMap<Library, ReadonlySet<string>>();

/** The packages that a library's members are imported from. */
export function packagesOfLibrary(library: Library): ReadonlySet<string> {
  let packages = packagesOf.get(library);
  if (!packages) {
    const all = [...library.packages, ...(library.importedFrom ?? [])].map(withoutTypes);
    packagesOf.set(library, (packages = new Set(all)));
  }
  return packages;
}

/** The libraries that code may use: those of the packages that it imports, and those that need no import. */
export interface InPlay {
  readonly packages: ReadonlySet<string>;
  /** Whether a package is there, imported or not: the types of globals. */
  mayDeclareGlobals(name: string): boolean;
  /** Whether the code holds a text. */
  holds(text: string): boolean;
}

/** What is global or generated into the project needs no import. */
function isMeantWithoutImport(library: Library, inPlay: InPlay): boolean {
  const { globals = [], generated } = library;
  return (
    (generated !== undefined && inPlay.holds(generated.fileContains)) ||
    (globals.some((name) => inPlay.holds(name)) &&
      [...packagesOfLibrary(library)].some((name) => inPlay.mayDeclareGlobals(name)))
  );
}

/** Whether a declaration is the library's: in one of its packages, generated into the project by it, or the project's own. */
export function libraryDeclares(library: Library, ref: Ref): boolean {
  const { project } = library;
  if (project)
    return (
      ref.isProject && (project.path === undefined || (ref.file !== undefined && matchesModule(project.path, ref.file)))
    );
  if (packagesOfLibrary(library).has(ref.package)) return true;
  const { generated } = library;
  if (!generated || ref.fileText === undefined) return false;
  const names = [ref.container ?? ref.name, ref.name];
  const isGenerated = generated.containers.some((container) =>
    names.some((name) => (container.startsWith("*") ? name.endsWith(container.slice(1)) : name === container)),
  );
  return isGenerated && ref.fileText.includes(generated.fileContains);
}

/** The catalogue and the settings, indexed for look-up. */
export class Knowledge {
  readonly libraries: readonly Library[];
  /** Last names of members of what a property holds: `then` of `Transaction.executionPromise.then`. */
  readonly deepNames: ReadonlySet<string>;
  /** Last names of the members that the settings speak of. */
  readonly ownNames: ReadonlySet<string>;
  readonly dispatches;
  readonly dispatchDecorators;
  readonly transactions;
  readonly begins;
  readonly commits;
  readonly rollbacks;
  readonly sql;
  readonly decorators;
  readonly afterCommit;
  readonly outside;
  readonly runners;
  readonly locks;
  readonly handlerCalls;
  readonly handlerConstructors;
  readonly handlerProxies;
  readonly handlerDecorators;
  readonly hookDecorators;
  readonly hookCalls;
  readonly classDecorators;
  readonly keys;
  readonly keyConstructors;
  readonly randoms;
  readonly randomConstructors;
  readonly clocks;
  readonly clockConstructors;
  readonly calendar;
  readonly objects;
  readonly objectConstructors;
  readonly passedOn;
  readonly reads;
  readonly inserts;
  readonly replaySafe;
  readonly memoised;
  readonly stores;
  readonly storeConstructors;
  readonly insertIgnores;
  readonly statements;
  readonly effects;
  readonly identities;
  readonly #ambient: readonly string[];
  readonly #clients = new Map<string, Library[]>();
  readonly #catalogue: readonly Library[];
  readonly #whole: readonly Library[];
  readonly #own: readonly Library[];
  readonly #places: ReadonlyMap<Library, number>;
  readonly #byPackage = new Map<string, Library[]>();
  readonly #withoutImport: readonly Library[];
  readonly #parts = new Map<string, Knowledge>();
  readonly #names: ReadonlySet<string>;

  /** Names of the whole catalogue that tell of a transaction by themselves: where types end, the shape around them decides. */
  readonly shapes: { readonly openers: readonly string[]; readonly turns: readonly string[] };

  /** What people call the clients of the libraries of the whole catalogue, in lower case. */
  readonly clientNames: ReadonlySet<string>;

  /** `own` is what the settings add, in the words of the catalogue; `whole` what this is a part of. */
  constructor(catalogue: readonly Library[], own: readonly Library[] = [], whole?: Knowledge) {
    const libraries = [...catalogue, ...own];
    this.#catalogue = catalogue;
    this.#whole = whole ? whole.#whole : catalogue;
    this.#own = own;
    this.#places = new Map(catalogue.map((library, index) => [library, index]));
    this.#withoutImport = catalogue.filter(({ globals, generated }) => globals ?? generated);
    for (const library of catalogue)
      for (const name of packagesOfLibrary(library))
        this.#byPackage.set(name, [...(this.#byPackage.get(name) ?? []), library]);
    this.libraries = libraries;
    this.ownNames = new Set(own.flatMap(membersIn).map((member) => parseMember(member).name));
    const index = <S extends Section>(
      section: S,
      form: Form,
      members: (entry: EntryOf<S>) => OneOrMore<Member> | undefined,
    ) =>
      new MemberIndex<EntryOf<S>>(libraries, form, (library) =>
        ((library[section] ?? []) as readonly EntryOf<S>[]).map((entry) => [entry, members(entry)] as const),
      );
    this.#ambient = libraries.flatMap((library) => library.ambient ?? []);
    this.dispatches = index("dispatches", "member", (entry) => entry.member);
    this.dispatchDecorators = index("dispatches", "decorator", (entry) => entry.member);
    this.transactions = index("transactions", "member", (entry) => entry.open);
    this.begins = index("manual", "member", (entry) => entry.begin);
    this.commits = index("manual", "member", (entry) => entry.commit);
    this.rollbacks = index("manual", "member", (entry) => entry.rollback);
    this.insertIgnores = index("insertIgnores", "member", (entry) => entry.member);
    this.sql = index("sql", "member", (entry) => entry.member);
    this.statements = new MemberIndex<Statement>(libraries, "member", ({ beside }) =>
      (beside?.statements ?? []).map((entry) => [entry, entry.member] as const),
    );
    this.shapes = whole?.shapes ?? {
      openers: [...this.transactions.names].filter((name) => /transaction$/i.test(name)),
      turns: [...this.begins.names, ...this.commits.names, ...this.rollbacks.names].filter((name) =>
        /transaction|trx|^(?:commit|rollback|abort)/i.test(name),
      ),
    };
    this.clientNames = whole?.clientNames ?? new Set(catalogue.flatMap(({ clientNames = [] }) => clientNames));
    this.decorators = index("decorators", "decorator", (entry) => entry.decorator);
    this.afterCommit = index("afterCommit", "member", (entry) => entry.member);
    this.outside = index("outside", "member", (entry) => entry.member);
    this.locks = index("locks", "member", (entry) => entry.member);
    this.runners = index("runners", "member", (entry) => entry.member);
    this.handlerCalls = index("handlers", "member", (entry) =>
      "registeredBy" in entry ? entry.registeredBy : undefined,
    );
    this.handlerConstructors = index("handlers", "new", (entry) =>
      "registeredBy" in entry ? entry.registeredBy : undefined,
    );
    this.handlerProxies = index("handlers", "member", (entry) => ("proxiedBy" in entry ? entry.proxiedBy : undefined));
    this.handlerDecorators = index("handlers", "decorator", (entry) =>
      "methodDecorator" in entry ? entry.methodDecorator : undefined,
    );
    this.hookDecorators = index("hooks", "decorator", (entry) =>
      "methodDecorator" in entry ? entry.methodDecorator : undefined,
    );
    this.hookCalls = index("hooks", "member", (entry) => ("registeredBy" in entry ? entry.registeredBy : undefined));
    this.classDecorators = new MemberIndex<EntryOf<"handlers"> | EntryOf<"hooks">>(libraries, "decorator", (library) =>
      [...(library.handlers ?? []), ...(library.hooks ?? [])].map(
        (entry) => [entry, "classDecorator" in entry ? entry.classDecorator : undefined] as const,
      ),
    );
    this.keys = index("keys", "member", (entry) => entry.member);
    this.keyConstructors = index("keys", "new", (entry) => entry.member);
    this.randoms = index("randoms", "member", (entry) => entry.member);
    this.randomConstructors = index("randoms", "new", (entry) => entry.member);
    this.clocks = index("clocks", "member", (entry) => entry.member);
    this.clockConstructors = index("clocks", "new", (entry) => entry.member);
    this.calendar = index("calendar", "member", (entry) => entry.member);
    this.objects = index("objects", "member", (entry) => entry.member);
    this.objectConstructors = index("objects", "new", (entry) => entry.member);
    this.passedOn = index("passedOn", "member", (entry) => entry.member);
    this.reads = index("reads", "member", (entry) => entry.member);
    this.inserts = index("inserts", "member", (entry) => entry.member);
    this.replaySafe = new MemberIndex<Member>(libraries, "member", (library) =>
      oneOrMore(library.replaySafe).map((member) => [member, member] as const),
    );
    this.memoised = index("memoised", "member", (entry) => entry.member);
    this.stores = index("stores", "member", (entry) => entry.member);
    this.storeConstructors = index("stores", "new", (entry) => entry.member);
    this.effects = index("effects", "member", (entry) => entry.member);
    this.deepNames = new Set(
      catalogue
        .flatMap((library) => (library.afterCommit ?? []).flatMap(({ member }) => oneOrMore(member)))
        .map(parseMember)
        .flatMap(({ container, name }) => (container?.includes(".") ? [name] : [])),
    );
    this.identities = index("identities", "member", (entry) => entry.property);
    this.#names = new Set([...this.#indexes().flatMap((members) => [...members.names]), ...this.ownNames]);
    for (const library of catalogue) {
      const members = [
        ...(library.transactions ?? []).flatMap(({ open }) => oneOrMore(open)),
        ...(library.manual ?? []).flatMap(({ begin }) => oneOrMore(begin)),
        ...(library.sql ?? []).flatMap(({ member, on }) => (on === "pool" ? oneOrMore(member) : [])),
      ];
      for (const container of new Set(members.map((member) => parseMember(member).container))) {
        if (container !== undefined && container !== "*")
          this.#clients.set(container, [...(this.#clients.get(container) ?? []), library]);
      }
    }
  }

  /**
   * What is known of the libraries that can be meant where only some packages are in play. Few libraries have few names,
   * so most files are done with at a glance.
   */
  among(inPlay: InPlay): Knowledge {
    const kept = this.#meant(inPlay.packages);
    for (const library of this.#withoutImport) if (isMeantWithoutImport(library, inPlay)) kept.add(library);
    const handed = [...kept, ...this.#own].flatMap(({ transactions = [] }) =>
      transactions.flatMap(({ handlePackage }) => handlePackage ?? []),
    );
    for (const library of this.#meant(handed)) kept.add(library);
    // files with the same imports in another order share what is made of them
    const places = [...kept].map((library) => this.#places.get(library) ?? 0).sort((a, b) => a - b);
    const key = places.join();
    let part = this.#parts.get(key);
    if (!part) {
      const catalogue = this.#catalogue.filter((library) => kept.has(library));
      this.#parts.set(key, (part = new Knowledge(catalogue, this.#own, this)));
    }
    return part;
  }

  #meant(packages: Iterable<string>): Set<Library> {
    const meant = new Set<Library>();
    for (const name of packages)
      for (const library of this.#byPackage.get(withoutTypes(name)) ?? []) meant.add(library);
    return meant;
  }

  /** Whether anything at all is known of a member of this name. */
  isName(name: string): boolean {
    return this.#names.has(name);
  }

  #indexes(): readonly MemberIndex<unknown>[] {
    return Object.values(this).filter((value) => value instanceof MemberIndex);
  }

  /** Whether anything is known of job handlers. */
  get hasHandlers(): boolean {
    return this.libraries.some(({ handlers = [] }) => handlers.length > 0);
  }

  /** Whether a member of this name could dispatch, have an effect, open, begin or end something. */
  isMemberName(name: string | undefined): boolean {
    return [this.dispatches, this.effects, this.transactions, this.begins, this.commits, this.rollbacks].some((index) =>
      index.hasName(name),
    );
  }

  /** Whether a type is a client or pool on which a transaction can be opened, or that runs each statement by itself. */
  isClient(types: readonly Ref[]): boolean {
    return types.some((type) => (this.#clients.get(type.name) ?? []).some((library) => libraryDeclares(library, type)));
  }

  /** The libraries that have the clients of another one take part in their transactions, in play or not. */
  proxiesOf({ packages }: Library): readonly Library[] {
    return this.#whole.filter(({ proxies = [] }) => proxies.some((name) => packages.includes(name)));
  }

  /** The pattern by which the settings say that all of a file runs inside a transaction. */
  ambientPattern(path: string): string | undefined {
    return this.#ambient.find((pattern) => matchesFile(pattern, path));
  }

  /** Whether a type is an open transaction's handle. */
  handlesOf(types: readonly Ref[]): readonly Known<EntryOf<"handles">>[] {
    return types.flatMap((type) =>
      this.libraries.flatMap((library) =>
        (library.handles ?? [])
          .filter((entry) => oneOrMore(entry.type).includes(type.name) && libraryDeclares(library, type))
          .map((entry) => ({ library, entry })),
      ),
    );
  }
}

/** The members that an entry of the settings names. */
function membersIn({
  transactions = [],
  decorators = [],
  dispatches = [],
  handlers = [],
  afterCommit = [],
}: Library): readonly Member[] {
  return [
    ...transactions.flatMap(({ open }) => oneOrMore(open)),
    ...decorators.flatMap(({ decorator }) => oneOrMore(decorator)),
    ...[...dispatches, ...afterCommit].flatMap(({ member }) => oneOrMore(member)),
    ...handlers.flatMap((handler) =>
      oneOrMore(
        "registeredBy" in handler
          ? handler.registeredBy
          : "methodDecorator" in handler
            ? handler.methodDecorator
            : undefined,
      ),
    ),
  ];
}
