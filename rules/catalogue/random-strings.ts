import type { Library } from "./vocabulary.js";

/** Small packages that do nothing but make random ids. */
export const randomStrings: Library = {
  name: "Small packages of random ids (crypto-random-string, randomstring, shortid, short-uuid, short-unique-id, uniqid, uid, hyperid, typeid-js, uuidv7, bson-objectid, @lukeed/uuid)",
  packages: [
    "crypto-random-string",
    "randomstring",
    "@types/randomstring",
    "shortid",
    "@types/shortid",
    "short-uuid",
    "short-unique-id",
    "uniqid",
    "@types/uniqid",
    "uid",
    "hyperid",
    "typeid-js",
    "uuidv7",
    "bson-objectid",
    "@lukeed/uuid",
  ],
  values: { ShortUniqueId: "default" },
  randoms: [
    { member: ["cryptoRandomString", "cryptoRandomStringAsync", "default"], makes: "random text" },
    { member: ["generate", "Randomstring.generate", "ShortId.generate", "*.generate"], makes: "random text" },
    { member: ["shortid", "ShortId.()", "uid", "v4", "uuid"], makes: "random id" },
    { member: ["uuidv7", "uuidv4", "uuidv7obj", "uuidv4obj"], makes: "random UUID" },
    { member: ["typeid", "typeidUnboxed"], makes: "random TypeID" },
    { member: ["ShortUniqueId.rnd", "ShortUniqueId.randomUUID", "ShortUniqueId.stamp"], makes: "random id" },
    { member: "hyperid", makes: "random id", returnsFunction: true },
    { member: ["x", "f", "uniqid", "*.process", "*.time"], makes: "random id" },
    { member: ["ObjectID", "new ObjectID", "new default"], makes: "random ObjectId", withoutArguments: true },
  ],
};
