import { z } from "zod";

/** The kind of a twin that is an ONNX file, which is used if the runtime lacks a backend. */
export const standInTwin = "stand-in";

/** The `options` of such a twin. */
export interface StandInTwinOptions {
  /** The file, in the version folder. */
  readonly file: string;
  /** Name of an output → its dims in the file, without the batch; the ONNX Runtime backend compares them exactly. */
  readonly outputs: Readonly<Record<string, readonly number[]>>;
}

export const standInTwinSchema: z.ZodType<StandInTwinOptions> = z.object({
  file: z.string(),
  outputs: z.record(z.string(), z.array(z.int())),
});
