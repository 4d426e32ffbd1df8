import type { Library } from "./vocabulary.js";

/** Sessions are those of the MongoDB driver. */
export const mongoose: Library = {
  name: "Mongoose",
  packages: ["mongoose"],
  values: {
    Mongoose: ["default", "mongoose", "connect()", "Mongoose.connect()"],
    Connection: [
      "connection",
      "createConnection()",
      "Mongoose.connection",
      "Mongoose.createConnection()",
      "Connection.useDb()",
      "Connection.asPromise()",
      "Model.db",
      "Document.db",
    ],
    ClientSession: [
      "startSession()",
      "Mongoose.startSession()",
      "Connection.startSession()",
      "Model.startSession()",
      "Document.$session()",
    ],
    Model: [
      "model()",
      "Mongoose.model()",
      "Connection.model()",
      "Mongoose.models.*",
      "Connection.models.*",
      "Model.discriminator()",
    ],
  },
  transactions: [
    { open: "Connection.transaction", callback: 0, handle: 0, handleType: "ClientSession", reruns: true },
    { open: "ClientSession.withTransaction", callback: 0, handle: 0, handleType: "ClientSession", reruns: true },
  ],
  manual: [
    {
      begin: "ClientSession.startTransaction",
      handle: "receiver",
      commit: "ClientSession.commitTransaction",
      rollback: "ClientSession.abortTransaction",
    },
  ],
  handles: [{ type: "ClientSession", proves: false }],
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
  stores: [
    { member: ["Model.create", "Model.insertMany", "Model.insertOne", "new Model"], slot: { argument: 0 } },
    { member: ["Model.replaceOne", "Model.findOneAndReplace"], slot: { argument: 1 } },
    {
      member: ["Model.updateOne", "Model.findOneAndUpdate", "Model.updateMany"],
      slot: { argument: 1, path: "$setOnInsert" },
    },
    { member: "Model.bulkWrite", slot: { argument: 0, path: "[].insertOne.document" } },
  ],
};
