import type { Library } from "./vocabulary.js";

export const twilio: Library = {
  name: "Twilio",
  packages: ["twilio"],
  values: {
    Twilio: "default()",
    MessageListInstance: ["Twilio.messages", "*.messages"],
    CallListInstance: ["Twilio.calls", "*.calls"],
  },
  effects: [
    {
      member: [
        "MessageListInstance.create",
        "CallListInstance.create",
        "VerificationListInstance.create",
        "ExecutionListInstance.create",
      ],
      kind: "message",
    },
  ],
};
