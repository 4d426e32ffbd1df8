import type { Library } from "./vocabulary.js";

/** Sessions are those of the MongoDB driver, whose entry knows them. */
export const mongoose: Library = {
  name: "Mongoose",
  packages: ["mongoose"],
  values: {
    Connection: [
      "connection",
      "createConnection()",
      "*.connection",
      "*.createConnection()",
      "Connection.useDb()",
      "Connection.asPromise()",
      "Model.db",
      "Document.db",
    ],
    Model: ["model()", "*.model()", "Model.discriminator()"],
  },
  transactions: [
    {
      open: "Connection.transaction",
      callback: 0,
      handle: 0,
      handleType: "ClientSession",
      reruns: true,
      resolvesAfter: "ClientSession.abortTransaction",
    },
  ],
  beside: {
    partOf: "mongodb",
    unless: "transactionAsyncLocalStorage",
    madeBy: ["createConnection", "MongooseModule.forRoot", "MongooseModule.forRootAsync"],
    statements: [
      {
        member: ["create", "insertMany", "insertOne", "bulkWrite", "bulkSave"].map((name) => `Model.${name}`),
        joins: { option: { argument: 1, path: "session" } },
      },
      {
        member: ["countDocuments", "deleteOne", "deleteMany", "findByIdAndDelete", "findOneAndDelete", "aggregate"].map(
          (name) => `Model.${name}`,
        ),
        joins: [{ option: { argument: 1, path: "session" } }, { chained: "session" }],
        sentByChain: true,
      },
      {
        member: [
          "find",
          "findOne",
          "findById",
          "updateOne",
          "updateMany",
          "replaceOne",
          "findOneAndUpdate",
          "findOneAndReplace",
          "findByIdAndUpdate",
          "exists",
          "distinct",
        ].map((name) => `Model.${name}`),
        joins: [
          { option: { argument: 2, path: "session" } },
          { option: { argument: 1, path: "session" } },
          { chained: "session" },
        ],
        sentByChain: true,
      },
    ],
  },
  hooks: [
    // A save without a session has no transaction at all.
    {
      registeredBy: ["Schema.post", "Schema.pre"],
      hook: { argument: "last" },
      event: {
        argument: 0,
        oneOf: [
          "save",
          "insertMany",
          "bulkWrite",
          "updateOne",
          "updateMany",
          "replaceOne",
          "findOneAndUpdate",
          "findOneAndReplace",
          "findOneAndDelete",
          "deleteOne",
          "deleteMany",
          "remove",
        ],
      },
      onlyInCallersTransaction: true,
    },
  ],
  reads: [
    {
      member: ["Model.findOne", "Model.findById", "Model.exists", "Model.countDocuments", "Model.find"],
      table: "receiver",
    },
  ],
  inserts: [
    {
      member: ["Model.create", "Model.insertOne"],
      table: "receiver",
      instead: "`findOneAndUpdate` with `$setOnInsert` and `upsert: true`, or a `catch` for code 11000",
    },
  ],
  stores: [
    { member: ["Model.updateOne", "Model.updateMany", "Model.findOneAndUpdate"], slot: { argument: 0 }, finds: true },
    { member: ["Model.create", "Model.insertMany", "Model.insertOne", "new Model"], slot: { argument: 0 } },
    { member: ["Model.replaceOne", "Model.findOneAndReplace"], slot: { argument: 1 } },
    { member: "Model.bulkWrite", slot: { argument: 0, path: "[].insertOne.document" } },
  ],
};
