import { knowledgeOf } from "./analysis/analysis.js";
import { Knowledge } from "./analysis/knowledge.js";
import { libraries } from "./catalogue/index.js";
import type { Library, Member } from "./catalogue/vocabulary.js";
import { either, index, listOf, oneOf, record, text, type Read, type Shape } from "./shape.js";

const word = "[\\w$]+";
const member = `(?:(?:${word}|\\*)\\.)?${word}`;

const dispatchTargets = oneOf("queue", "topic", "workflow", "in-process bus", "pub/sub");
const callback = index("the index of the argument that is the function");

/** What stands under each key of `settings.aftercommit`. */
const settings = record(
  "an object",
  {},
  {
    transactions: listOf(
      specifier(text("a name (`withTransaction`, `Database.transaction`)", new RegExp(`^${member}$`)), {
        callback,
        handle: handleShape(),
      }),
    ),
    decorators: listOf(specifier(text("the name of a decorator (`@Transactional`)", new RegExp(`^@?${word}$`)), {})),
    dispatches: listOf(
      specifier(text("a name (`enqueue`, `Bus.publish`, `@Publishes`)", new RegExp(`^(?:@${word}|${member})$`)), {
        to: dispatchTargets,
        payload: index("the index of the argument that is sent"),
      }),
    ),
    handlers: listOf(
      specifier(
        text(
          "a name (`registerHandler`, `Runner.register`, `new Consumer`, `@Handles`)",
          new RegExp(`^(?:@${word}|new ${word}|${member})$`),
        ),
        {
          handler: index("the index of the argument that is the handler"),
          job: index("the index of the handler's parameter that is the job"),
        },
      ),
    ),
    afterCommit: listOf(
      specifier(text("a name (`afterCommit`, `UnitOfWork.onCommit`)", new RegExp(`^${member}$`)), { callback }),
    ),
    ambientTransaction: listOf(text("a path or pattern of files (`src/controllers/**`)", /\S/)),
  },
);

export type AftercommitSettings = Read<typeof settings>;

/** The same for editors; `settings.schema.json` is written from it. */
export const settingsSchema = {
  $schema: "http://json-schema.org/draft-07/schema#",
  title: "settings.aftercommit of eslint-plugin-aftercommit",
  ...settings.schema,
};

const byIdentity = new WeakMap<object, Knowledge>();
const byContent = new Map<string, Knowledge>();

/** The catalogue together with what `settings.aftercommit` adds to it; made once for the same content. */
export function knowledgeFor(given: Readonly<Record<string, unknown>> | undefined): Knowledge {
  const own = given?.["aftercommit"];
  if (own === undefined) return knowledgeOf(libraries);
  const known = byIdentity.get(own as object);
  if (known) return known;
  const read = settings.read(own, "settings.aftercommit");
  const content = JSON.stringify(read);
  const knowledge = byContent.get(content) ?? new Knowledge(libraries, librariesOf(read));
  byContent.set(content, knowledge);
  byIdentity.set(own as object, knowledge);
  return knowledge;
}

/** What a setting says of a member of the project, in the words in which an entry of the catalogue says it of a library's. */
function librariesOf({
  transactions = [],
  decorators = [],
  dispatches = [],
  handlers = [],
  afterCommit = [],
  ambientTransaction = [],
}: AftercommitSettings): readonly Library[] {
  return [
    ...transactions.map((given) =>
      entryOf(given, (open, { callback = "last" as const, handle }) => ({
        transactions: [
          {
            open,
            callback,
            ...(handle
              ? { handle: handle.parameter ?? 0, handleType: handle.name, handlePackage: handle.package }
              : {}),
          },
        ],
      })),
    ),
    ...decorators.map((given) =>
      entryOf(given, (names) => ({
        decorators: [{ decorator: names.map((name) => (isDecorator(name) ? name : `@${name}`)) }],
      })),
    ),
    ...dispatches.map((given) =>
      entryOf(given, (names, { to = "queue", payload }) => ({
        dispatches: [
          {
            member: names,
            to,
            payload: (payload === undefined ? [0, 1] : [payload]).map((argument) => ({ argument })),
          },
        ],
      })),
    ),
    ...handlers.map((given) =>
      entryOf(given, (names, { handler = "last" as const, job = 0 }) => ({
        handlers: [
          { registeredBy: names.filter((name) => !isDecorator(name)), handler: { argument: handler }, job },
          { methodDecorator: names.filter(isDecorator), job },
        ],
      })),
    ),
    ...afterCommit.map((given) =>
      entryOf(given, (member, { callback = 0 }) => ({ afterCommit: [{ member, callback }] })),
    ),
    { name: "settings.aftercommit", packages: [], ambient: ambientTransaction },
  ];
}

interface Specifier {
  readonly name: string | readonly string[];
  readonly package?: string;
  readonly path?: string;
}

/** An entry about the names of a specifier, declared where it says; the function tells what else it says. */
function entryOf<S extends string | Specifier>(
  given: S,
  tell: (names: readonly Member[], options: Partial<Exclude<S, string>>) => Partial<Library>,
): Library {
  const specified: Specifier = typeof given === "string" ? { name: given } : given;
  const { package: from, path } = specified;
  const place =
    from === undefined ? { packages: [], project: path === undefined ? {} : { path } } : { packages: [from] };
  return {
    name: "settings.aftercommit",
    ...place,
    ...tell([specified.name].flat(), (typeof given === "string" ? {} : given) as Partial<Exclude<S, string>>),
  };
}

function isDecorator(name: Member): boolean {
  return name.startsWith("@");
}

/** `"name"`, `{ from: "package", package, name }` or `{ from: "file", path, name }`, with what else can be said of it. */
function specifier<O extends Readonly<Record<string, Shape<unknown>>>>(name: Shape<string>, options: O) {
  const names = either(`${name.allows}, or an array of names`, "", name, listOf(name, { notEmpty: true }));
  const aPackage = text("the name of a package", /^(?:@[^/\s]+\/)?[^/\s]+$/);
  const aPath = text("the path of a file, or a pattern (`src/db.ts`)", /\S/);
  return either(
    `${name.allows}, { "from": "package", "package", "name" } or { "from": "file", "path", "name" }`,
    "from",
    name,
    record("an object", { from: oneOf("package"), package: aPackage, name: names }, options),
    record("an object", { from: oneOf("file"), name: names }, { path: aPath, ...options }),
  );
}

/** The type of the handle that an opener passes to its callback: what tells it where there are no types. */
function handleShape() {
  return record(
    '{ "from": "package", "package", "name" }',
    {
      from: oneOf("package"),
      package: text("the name of a package", /^(?:@[^/\s]+\/)?[^/\s]+$/),
      name: text("the name of a type (`EntityManager`)", new RegExp(`^${word}$`)),
    },
    { parameter: index("the index of the callback's parameter") },
  );
}
