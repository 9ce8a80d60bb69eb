import { tensorOf } from "@tritype/core";
import { buildModel } from "@tritype/onnx";
import type { CaseFiles } from "../judge/case-files.ts";

/** Files that are not text. */
type Binaries = (variant: "fault" | "mended") => CaseFiles;

/** A subfolder with two versions of a repository: with one published fault, and fixed. */
export interface Fault {
  /** Number in the list of faults, and a name. */
  readonly folder: string;
  /** Codes of all diagnostics, in order. */
  readonly codes: readonly string[];
  readonly binaries?: Binaries;
}

/** Looks up ids in a table of 100 rows and averages over the tokens; `fixed` is the batch size that the trace froze. */
const encoder = (output: string, fixed?: number): Uint8Array =>
  buildModel(
    {
      name: "encoder",
      inputs: [{ name: "input_ids", type: { dtype: "INT64", dims: ["batch", "length"] } }],
      outputs: [{ name: output, type: { dtype: "FP32", dims: [fixed ?? "batch", 4] } }],
    },
    (builder) => {
      const table = builder.constant(
        tensorOf(
          "FP32",
          [100, 4],
          Array.from({ length: 400 }, () => 0),
        ),
      );
      const [rows] = builder.node("Gather", [table, "input_ids"]);
      return {
        [output]: builder.node("ReduceMean", [rows], { axes: { ints: [1] }, keepdims: { int: 0 } })[0],
      };
    },
  );

export const faults: readonly Fault[] = [
  { folder: "01-unset-attribute", codes: ["python/unset-attribute"] },
  {
    folder: "02-undeclared-output",
    codes: ["python/undeclared-output", "python/undeclared-output", "python/missing-output"],
  },
  { folder: "03-no-batch", codes: ["python/wrong-rank"] },
  {
    folder: "04-warmup-of-a-batch",
    codes: ["warmup/long-file"],
    // One row for each of the 256 requests; Triton reads the first row 256 times.
    binaries: (variant) => ({
      "counter/warmup/longest/attention_mask": new Uint8Array(
        new BigInt64Array(variant === "fault" ? 256 * 512 : 512).fill(1n).buffer,
      ),
    }),
  },
  { folder: "07-parameter-object", codes: ["python/parameter-at-load"] },
  { folder: "08-long-padding", codes: ["python/long-padding"] },
  { folder: "09-missing-recipe", codes: ["python/missing-parameter"] },
  { folder: "09-recipe-elsewhere", codes: ["python/working-directory"] },
  { folder: "09-recipe-left-behind", codes: ["python/missing-asset"] },
  {
    folder: "10-numbered-output",
    codes: ["onnx-model/numeric-output"],
    binaries: (variant) => ({
      "encoder/1/model.onnx": encoder(variant === "fault" ? "3391" : "sentence_embedding"),
    }),
  },
  {
    folder: "11-fixed-output",
    codes: ["onnx-model/wrong-shape"],
    binaries: (variant) => ({
      "encoder/1/model.onnx": encoder("sentence_embedding", variant === "fault" ? 1 : undefined),
    }),
  },
  { folder: "13-extra-token-types", codes: ["python/undeclared-output"] },
  { folder: "13-tokenizer-outputs", codes: ["python/tokenizer-outputs"] },
  {
    folder: "15-batches-of-one",
    codes: ["batch/inert"],
    binaries: () => ({ "sentiment/1/model.pt": new Uint8Array(4) }),
  },
  {
    folder: "15-one-row",
    codes: ["batch/one-row"],
    binaries: () => ({ "sentiment/1/model.pt": new Uint8Array(4) }),
  },
  { folder: "15-uncounted-rows", codes: ["batch/uncounted-rows"] },
  { folder: "16-generated-as-float", codes: ["python/wrong-dtype"] },
  { folder: "17-one-response", codes: ["python/one-response"] },
  { folder: "19-undefined-suffix", codes: ["python/undefined-name"] },
  {
    folder: "19-unquantized-folder",
    codes: ["python/missing-export", "python/missing-export"],
    binaries: (variant) =>
      Object.fromEntries(
        ["encoder_model", "decoder_model"].map((name) => [
          `translator/1/seq2seq/${name}${variant === "fault" ? "" : "_quantized"}.onnx`,
          new Uint8Array(4),
        ]),
      ),
  },
];
