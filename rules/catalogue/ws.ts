import type { Library } from "./vocabulary.js";

export const ws: Library = {
  name: "ws",
  packages: ["ws", "@types/ws"],
  effects: [{ member: "WebSocket.send", kind: "websocket" }],
};
