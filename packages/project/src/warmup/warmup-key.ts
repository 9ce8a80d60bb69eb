import { createHash } from "node:crypto";
import type { CompiledBuild } from "@tritype/compiler";
import { printRawData } from "@tritype/core";

/** SHA-256 of everything that captured tensors depend on: the files of a build without warmup, and its samples. */
export const warmupKey = ({ manifest, samples }: CompiledBuild): string => {
  const hash = createHash("sha256").update(JSON.stringify(manifest.files));
  for (const { ensemble, name, inputs, row } of samples) {
    hash.update(JSON.stringify([ensemble, name, row]));
    for (const [input, tensor] of inputs)
      hash.update(JSON.stringify([input, tensor.dtype, tensor.shape])).update(printRawData(tensor));
  }
  return hash.digest("hex");
};
