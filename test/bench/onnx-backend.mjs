import { existsSync } from "node:fs";
import { join } from "node:path";

/** A note about the backend that runs ONNX models in an installation: `test/workspace/onnxruntime-backend.mjs` replaces the stand-in. */
export const onnxBackendNote = ({ backends }) =>
  existsSync(join(backends, "onnxruntime", "model.py"))
    ? "Triton runs ONNX models on a Python stand-in for its ONNX Runtime backend; with the C++ backend it is faster"
    : "Triton runs ONNX models on its C++ ONNX Runtime backend";
