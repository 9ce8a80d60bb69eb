import { attempt } from "@tritype/core";
import type { SmokeMeasurement } from "@tritype/deploy";
import { z } from "zod";
import { writtenText } from "./write-deployment.ts";

const tensors = z.record(
  z.string(),
  z.object({ datatype: z.string(), shape: z.array(z.number()), data: z.string() }),
);
const recordSchema = z.object({
  build: z.string(),
  ensembles: z.record(
    z.string(),
    z.union([
      z.object({
        medianMilliseconds: z.number(),
        samples: z.array(z.object({ inputs: tensors, outputs: tensors })),
      }),
      z.object({ unchecked: z.string() }),
    ]),
  ),
});

/**
 * The measurements of an earlier run for this build; undefined if no run has measured it. The figures of two machines differ, and the same build
 * must give the same files.
 * @param hash The hash of the build.
 */
export const recordedSamples = (folder: string, path: string, hash: string): SmokeMeasurement | undefined => {
  const text = writtenText(folder, path);
  const read = text === undefined ? undefined : attempt(() => recordSchema.parse(JSON.parse(text)));
  return read?.build === hash ? read.ensembles : undefined;
};
