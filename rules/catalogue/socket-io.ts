import type { Library } from "./vocabulary.js";

export const socketIo: Library = {
  name: "Socket.IO",
  packages: ["socket.io", "@socket.io/redis-emitter", "@types/socket.io"],
  values: {
    BroadcastOperator: [
      "Server.to()",
      "Server.in()",
      "Server.except()",
      "Namespace.to()",
      "Namespace.in()",
      "Namespace.except()",
      "Socket.to()",
      "Socket.in()",
      "Socket.broadcast",
      "BroadcastOperator.to()",
      "BroadcastOperator.in()",
      "BroadcastOperator.except()",
      "Emitter.to()",
    ],
    Namespace: "Server.of()",
    Emitter: "Emitter.of()",
  },
  effects: [
    {
      member: [
        "Server.emit",
        "Server.send",
        "Server.serverSideEmit",
        "Namespace.emit",
        "Namespace.send",
        "Namespace.serverSideEmit",
        "Socket.emit",
        "Socket.send",
        "Socket.emitWithAck",
        "RemoteSocket.emit",
        "BroadcastOperator.emit",
        "BroadcastOperator.emitWithAck",
        "StrictEventEmitter.emit",
        "Emitter.emit",
      ],
      kind: "websocket",
    },
  ],
};
