import type { Library } from "./vocabulary.js";

/** MongoDB's driver and Mongoose re-export it. */
export const bson: Library = {
  name: "BSON ObjectId",
  packages: ["bson", "@types/bson"],
  importedFrom: ["mongodb", "mongoose"],
  randoms: [
    { member: ["new ObjectId", "new ObjectID"], makes: "random ObjectId", withoutArguments: true },
    { member: ["ObjectId.generate", "ObjectID.generate"], makes: "random ObjectId" },
  ],
};
