import type { Library } from "./vocabulary.js";

export const mqtt: Library = {
  name: "MQTT.js",
  packages: ["mqtt"],
  values: { MqttClient: ["connect()", "connectAsync()", "*.connect()", "*.connectAsync()"] },
  dispatches: [{ member: ["MqttClient.publish", "MqttClient.publishAsync"], to: "pub/sub", payload: { argument: 1 } }],
  handlers: [
    { registeredBy: "MqttClient.on", handler: { argument: 1 }, event: { argument: 0, oneOf: ["message"] }, job: 1 },
  ],
};
