import type { Library } from "./vocabulary.js";

/** Found by the chain of properties alone: sails has no types, and `sails` is a global. */
export const waterline: Library = {
  name: "Waterline (Sails)",
  packages: ["sails", "waterline", "sails-hook-orm"],
  globals: ["sails"],
  values: {
    Sails: ["sails", "default"],
    Datastore: ["Sails.getDatastore()", "sails.getDatastore()"],
  },
  transactions: [{ open: "Datastore.transaction", callback: 0, handle: 0 }],
  stores: [{ member: ["Model.create", "Model.createEach"], slot: { argument: 0 } }],
};
