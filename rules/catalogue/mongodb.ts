import type { Library } from "./vocabulary.js";

/** Operations join only with `{ session }`. A session alone is no transaction. */
export const mongodb: Library = {
  name: "MongoDB driver",
  packages: ["mongodb"],
  clientNames: ["mongo"],
  importedFrom: ["mongoose"],
  together: "queued",
  values: {
    MongoClient: ["MongoClient.connect()"],
    ClientSession: [
      "MongoClient.startSession()",
      "MongoClient.withSession(=>)",
      // of Mongoose
      "startSession()",
      "*.startSession()",
      "Connection.startSession()",
      "Model.startSession()",
      "Document.$session()",
    ],
    Db: ["MongoClient.db()", "Collection.db"],
    Collection: ["Db.collection()", "Db.createCollection()"],
    OrderedBulkOperation: "Collection.initializeOrderedBulkOp()",
    UnorderedBulkOperation: "Collection.initializeUnorderedBulkOp()",
  },
  transactions: [
    {
      open: "ClientSession.withTransaction",
      callback: 0,
      handle: 0,
      handleType: "ClientSession",
      reruns: true,
      resolvesAfter: "ClientSession.abortTransaction",
    },
  ],
  manual: [
    {
      begin: "ClientSession.startTransaction",
      handle: "receiver",
      commit: "ClientSession.commitTransaction",
      rollback: "ClientSession.abortTransaction",
      rollbackAfterCommit: "Cannot call abortTransaction after calling commitTransaction",
    },
  ],
  beside: {
    madeBy: ["new MongoClient", "MongoClient.connect"],
    statements: [
      {
        member: [
          "insertOne",
          "insertMany",
          "bulkWrite",
          "deleteOne",
          "deleteMany",
          "findOneAndDelete",
          "countDocuments",
        ].map((name) => `Collection.${name}`),
        joins: { option: { argument: 1, path: "session" } },
      },
      {
        member: ["updateOne", "updateMany", "replaceOne", "findOneAndUpdate", "findOneAndReplace", "distinct"].map(
          (name) => `Collection.${name}`,
        ),
        joins: { option: { argument: 2, path: "session" } },
      },
      {
        member: ["find", "findOne", "aggregate"].map((name) => `Collection.${name}`),
        joins: { option: { argument: 1, path: "session" } },
        sentByChain: true,
      },
    ],
  },
  handles: [{ type: "ClientSession", proves: false }],
  reads: [{ member: ["Collection.findOne", "Collection.countDocuments", "Collection.find"], table: "receiver" }],
  inserts: [
    {
      member: "Collection.insertOne",
      table: "receiver",
      instead: "`updateOne` with `$setOnInsert` and `upsert: true`, or a `catch` for code 11000",
    },
  ],
  stores: [
    {
      member: ["Collection.updateOne", "Collection.updateMany", "Collection.findOneAndUpdate"],
      slot: { argument: 0 },
      finds: true,
    },
    { member: ["Collection.insertOne", "Collection.insertMany"], slot: { argument: 0 } },
    { member: ["Collection.replaceOne", "Collection.findOneAndReplace"], slot: { argument: 1 } },
    { member: "Collection.bulkWrite", slot: { argument: 0, path: "[].insertOne.document" } },
    {
      member: ["BulkOperationBase.insert", "OrderedBulkOperation.insert", "UnorderedBulkOperation.insert"],
      slot: { argument: 0 },
    },
  ],
};
