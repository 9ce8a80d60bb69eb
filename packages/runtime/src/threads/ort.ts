import { loadFailure } from "./load-failure.ts";

// Import this only in workers: the main thread loads ONNX Runtime only for short runs (backends/onnx/short-runs.ts).
// onnxruntime-node 1.30 rejects every float16 tensor if this class exists (microsoft/onnxruntime#32323).
Reflect.deleteProperty(globalThis, "Float16Array");
export const ort: typeof import("onnxruntime-node") = await import("onnxruntime-node").catch(
  (error: unknown) => {
    throw loadFailure(error);
  },
);
ort.env.logLevel = "fatal";
