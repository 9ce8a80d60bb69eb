import { closeSync, fstatSync, openSync, readSync } from "node:fs";
import { generalError } from "@tritype/core";
import { type OnnxSignature, readModelOutline, readOnnxSignature } from "@tritype/onnx";

/** Names and types of a model file, without reading its weights. @throws PipelineError `file/not-readable` */
export const readModelFile = (path: string, shown: string): OnnxSignature => {
  const file = openSync(path, "r");
  try {
    const outline = readModelOutline(fstatSync(file).size, (offset, length) => {
      const bytes = new Uint8Array(length);
      return bytes.subarray(0, readSync(file, bytes, 0, length, offset));
    });
    const signature =
      outline === undefined ? { problem: "it is not an ONNX model" } : readOnnxSignature(outline);
    if (signature.problem === undefined) return signature;
    throw generalError(
      "file/not-readable",
      { path: shown, why: signature.problem },
      { help: "export the model again, or pick another file with --file" },
    );
  } finally {
    closeSync(file);
  }
};
