import { backendMessages } from "./backend-messages.ts";
import { batchMessages } from "./batch-messages.ts";
import { bodyMessages } from "./body-messages.ts";
import { configMessages } from "./config-messages.ts";
import { ensembleMessages } from "./ensemble-messages.ts";
import { functionMessages } from "./function-messages.ts";
import { onnxMessages } from "./onnx-messages.ts";
import { ownMessages } from "./own-messages.ts";
import { planMessages } from "./plan-messages.ts";
import { pythonCallMessages } from "./python-call-messages.ts";
import { pythonMessages } from "./python-messages.ts";
import { requestMessages } from "./request-messages.ts";
import { fixedIn, type ServerMessage } from "./server-message.ts";
import { servingMessages } from "./serving-messages.ts";
import { startMessages } from "./start-messages.ts";
import { stepMessages } from "./step-messages.ts";
import { tensorMessages } from "./tensor-messages.ts";
import { transportMessages } from "./transport-messages.ts";
import { warmupMessages } from "./warmup-messages.ts";

/** Every known message of servers, backends and clients. */
export const serverMessages: readonly ServerMessage[] = [
  ...configMessages,
  ...tensorMessages,
  ...batchMessages,
  ...backendMessages,
  ...onnxMessages,
  ...fixedIn("model-file", planMessages),
  ...fixedIn("model-code", pythonMessages),
  ...pythonCallMessages,
  ...warmupMessages,
  ...fixedIn("ensemble", ensembleMessages),
  ...fixedIn("client", requestMessages),
  ...fixedIn("client", bodyMessages),
  ...fixedIn("client", servingMessages),
  ...fixedIn("client", transportMessages),
  ...fixedIn("server", startMessages),
  ...functionMessages,
  ...stepMessages,
  ...ownMessages,
];
