import type { Library } from "./vocabulary.js";

/** Server and client SDK. `batch()` and `bulkWriter()` take no callback. */
export const firestore: Library = {
  name: "Firestore (@google-cloud/firestore, firebase-admin, firebase)",
  packages: ["@google-cloud/firestore", "@firebase/firestore", "firebase"],
  importedFrom: ["firebase-admin"],
  values: {
    Firestore: ["getFirestore()", "initializeFirestore()", "firestore()", "App.firestore()", "*.firestore()"],
    CollectionReference: ["Firestore.collection()", "DocumentReference.collection()", "collection()"],
    DocumentReference: ["Firestore.doc()", "CollectionReference.doc()", "CollectionReference.add()", "doc()"],
    WriteBatch: ["Firestore.batch()", "writeBatch()"],
    BulkWriter: "Firestore.bulkWriter()",
  },
  transactions: [
    { open: "Firestore.runTransaction", callback: 0, handle: 0, handleType: "Transaction", reruns: true },
    { open: "runTransaction", callback: 1, handle: 0, handleType: "Transaction", reruns: true },
  ],
  beside: {
    // References are made by the client, and only name what the transaction reads and writes.
    statements: [
      {
        member: [
          ...["create", "set", "update", "delete", "get"].map((name) => `DocumentReference.${name}`),
          "CollectionReference.add",
          "Query.get",
        ],
      },
    ],
  },
  handles: [{ type: "Transaction", proves: true }],
  stores: [
    // The document's id.
    { member: ["CollectionReference.doc", "Firestore.doc"], slot: { argument: 0 } },
    { member: ["DocumentReference.set", "DocumentReference.create", "CollectionReference.add"], slot: { argument: 0 } },
    {
      member: [
        "Transaction.create",
        "Transaction.set",
        "WriteBatch.create",
        "WriteBatch.set",
        "BulkWriter.create",
        "BulkWriter.set",
      ],
      slot: { argument: 1 },
    },
    { member: ["addDoc", "setDoc"], slot: { argument: 1 } },
  ],
};
