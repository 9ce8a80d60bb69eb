import { z } from "zod";

/** Kind of the twins that are ONNX files in place of a backend that the runtime lacks. */
export const standInTwin = "stand-in";

/** What such a twin's `options` say. */
export interface StandInTwinOptions {
  /** The file, in the version folder. */
  readonly file: string;
  /** Name of an output → its dims without the batch as the file has them; ONNX Runtime's backend compares them exactly. */
  readonly outputs: Readonly<Record<string, readonly number[]>>;
}

export const standInTwinSchema: z.ZodType<StandInTwinOptions> = z.object({
  file: z.string(),
  outputs: z.record(z.string(), z.array(z.int())),
});
