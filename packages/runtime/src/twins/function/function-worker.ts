import { parentPort, workerData } from "node:worker_threads";
import { invariant, messageOf } from "@tritype/core";
import { answerRequest, InvalidRequest, type Run } from "@tritype/node-host";
import type { FromFunction, FunctionCall, FunctionStart } from "./function-messages.ts";
import { tellError } from "./tell-error.ts";

invariant(parentPort !== null, "a function runs in its own thread");
const port = parentPort;
const post = (message: FromFunction): void => port.postMessage(message);
const { module, options, places } = workerData as FunctionStart;

const answer = (run: Run, { inputs, outputs }: FunctionCall): FromFunction => {
  try {
    const made = answerRequest(run, options, new Map(inputs), (error) => tellError(error, places));
    return { kind: "answer", outputs: [...made].filter(([name]) => outputs.includes(name)) };
  } catch (error) {
    const code = error instanceof InvalidRequest ? "request/invalid" : "model/failed";
    return { kind: "failure", code, text: messageOf(error) };
  }
};

try {
  const { run } = (await import(module)) as { readonly run: Run };
  port.on("message", (call: FunctionCall) => post(answer(run, call)));
  post({ kind: "ready" });
} catch (error) {
  post({ kind: "refused", text: tellError(error, places) });
  port.close();
}
