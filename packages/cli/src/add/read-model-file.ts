import { generalError } from "@tritype/core";
import { type OnnxSignature, readModelOutline, readOnnxSignature } from "@tritype/onnx";
import { fileOnDisk } from "@tritype/project";

/** Names and types of a model file, without reading its weights. @throws PipelineError `file/not-readable` */
export const readModelFile = (path: string, shown: string): OnnxSignature => {
  const file = fileOnDisk(path);
  const outline = file && readModelOutline(file.size, file.readAt);
  const signature =
    outline === undefined ? { problem: "it is not an ONNX model" } : readOnnxSignature(outline);
  if (signature.problem === undefined) return signature;
  throw generalError(
    "file/not-readable",
    { path: shown, why: signature.problem },
    { help: "export the model again, or pick another file with --file" },
  );
};
