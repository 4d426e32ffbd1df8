import { ConfigurationError } from "../errors.js";
import type { LockAnswer, LockEntry, LockStore } from "./lock-store.js";

/** A value as DynamoDB writes it. */
interface Attribute {
  readonly S?: string | undefined;
  readonly N?: string | undefined;
}

type Item = Readonly<Record<string, Attribute>>;

interface Condition {
  TableName: string;
  ConditionExpression: string;
  ExpressionAttributeNames: Record<string, string>;
  ExpressionAttributeValues: Record<string, { S: string } | { N: string }>;
}

type Key = Record<string, { S: string }>;

/** The members of a `DynamoDB` of `@aws-sdk/client-dynamodb` that this needs. */
export interface DynamoDbClient {
  getItem(input: {
    TableName: string;
    Key: Key;
    ConsistentRead: boolean;
  }): Promise<{ readonly Item?: Record<string, unknown> | undefined }>;
  putItem(input: Condition & { Item: Record<string, { S: string } | { N: string }> }): Promise<unknown>;
  deleteItem(input: Condition & { Key: Key }): Promise<unknown>;
}

export interface DynamoDbLocksOptions {
  readonly client: DynamoDbClient;
  /** A table whose partition key is the text `lock_key`, without a sort key. Set its TTL attribute to `ttl`. */
  readonly table: string;
}

/**
 * Locks in a table of Amazon DynamoDB, by conditional writes. DynamoDB has no clock to ask and deletes what has expired
 * only hours later, so the end of a lock is judged by the clocks of the processes: keep them together, or give locks
 * longer than they differ.
 */
export function dynamoDbLocks({ client, table }: DynamoDbLocksOptions): LockStore {
  if (table === "") throw new ConfigurationError("`dynamoDbLocks` needs the name of its table.");

  const read = async (key: string): Promise<LockEntry | undefined> => {
    const { Item } = await client.getItem({ TableName: table, Key: keyOf(key), ConsistentRead: true });
    return entryOf(Item as Item | undefined);
  };

  /** What must be there when the write arrives. */
  const condition = (from: string | undefined): Condition => ({
    TableName: table,
    ConditionExpression:
      from === undefined ? "attribute_not_exists(#key) OR #expires <= :now" : "#value = :from AND #expires > :now",
    ExpressionAttributeNames: {
      "#expires": "expires_at",
      ...(from === undefined ? { "#key": "lock_key" } : { "#value": "value" }),
    },
    ExpressionAttributeValues: {
      ":now": { N: Date.now().toString() },
      ...(from === undefined ? {} : { ":from": { S: from } }),
    },
  });

  const answerOf = async (key: string, writing: Promise<unknown>): Promise<LockAnswer> => {
    try {
      await writing;
      return { changed: true };
    } catch (error) {
      if (!(error instanceof Error) || error.name !== "ConditionalCheckFailedException") throw error;
      return { changed: false, current: await read(key) };
    }
  };

  return {
    library: "dynamodb",
    read,

    compareAndSet(key, { from, to, ttl }) {
      if (to === undefined) return answerOf(key, client.deleteItem({ Key: keyOf(key), ...condition(from) }));
      const expiresAt = Math.round(Date.now() + ttl * 1000);
      const Item = {
        ...keyOf(key),
        value: { S: to },
        expires_at: { N: expiresAt.toString() },
        // In seconds, for DynamoDB's own deletion.
        ttl: { N: Math.ceil(expiresAt / 1000 + 1).toString() },
      };
      return answerOf(key, client.putItem({ Item, ...condition(from) }));
    },
  };
}

function keyOf(key: string): Key {
  return { lock_key: { S: key } };
}

function entryOf(item: Item | undefined): LockEntry | undefined {
  const remainingMs = Number(item?.["expires_at"]?.N ?? 0) - Date.now();
  return item !== undefined && remainingMs > 0
    ? { value: item["value"]?.S ?? "", remaining: remainingMs / 1000 }
    : undefined;
}
