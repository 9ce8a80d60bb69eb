import { Buffer } from "node:buffer";
import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { fileURLToPath } from "node:url";
import {
  type BytesTensor,
  decodeUtf8,
  type FixedTensor,
  type TensorData,
  tensorOf,
  typedArrayOf,
} from "@tritype/core";
import type { LoadedModel, ModelResult } from "@tritype/runtime";
import { pythonWithNumpy } from "../environment/python.ts";
import type { WrittenTokenizer } from "./tokenizer-model.ts";

/** Rows per input: texts, or ids of one length. */
export type TextRequest = Readonly<
  Record<string, readonly Uint8Array[] | readonly (readonly (number | bigint)[])[]>
>;

/** An output in the form in which both sides report it. */
export interface DescribedTensor {
  readonly dtype: string;
  readonly shape: readonly number[];
  /** The first numbers, or all texts. */
  readonly head: readonly (number | string)[];
  readonly sha256: string;
}
export type Answer =
  | Readonly<Record<string, DescribedTensor>>
  | { readonly code: string; readonly message: string };

const path = (relative: string): string => fileURLToPath(new URL(relative, import.meta.url));

/** The answers of the emitted model.py in CPython, all requests in one `execute`. */
export const pythonAnswers = async (
  jobs: readonly {
    readonly written: Pick<WrittenTokenizer, "model" | "outputs">;
    readonly requests: readonly TextRequest[];
    readonly outputs?: readonly string[];
  }[],
): Promise<readonly (readonly Answer[])[]> => {
  const child = spawn(
    await pythonWithNumpy(),
    ["-B", path("run_model.py"), path("../../packages/runtime/python")],
    { stdio: ["pipe", "pipe", "inherit"] },
  );
  for (const { written, requests, outputs = written.outputs } of jobs)
    child.stdin.write(
      `${JSON.stringify({
        folder: written.model.versionFolder,
        config: written.model.config,
        outputs,
        requests: requests.map((request) =>
          Object.fromEntries(
            Object.entries(request).map(([name, rows]) => [
              name,
              rows.map((it) =>
                it instanceof Uint8Array ? Buffer.from(it).toString("base64") : it.map(String),
              ),
            ]),
          ),
        ),
      })}\n`,
    );
  child.stdin.end();
  const chunks: Buffer[] = [];
  for await (const chunk of child.stdout) chunks.push(chunk as Buffer);
  const lines = Buffer.concat(chunks).toString().split("\n").filter(Boolean);
  if (lines.length !== jobs.length) throw new Error(`python answered ${lines.length} of ${jobs.length} jobs`);
  return lines.map((line) => JSON.parse(line) as Answer[]);
};

/** The twin's answers, all requests in one `execute`. */
export const twinAnswers = async (
  twin: LoadedModel,
  requests: readonly TextRequest[],
  outputs: readonly string[],
): Promise<readonly Answer[]> => {
  const results = await twin.execute(
    requests.map((request) => ({
      id: "",
      inputs: new Map(
        Object.entries(request).map(([name, data]): [string, TensorData] => [name, inputTensor(data)]),
      ),
      outputs,
      parameters: {},
    })),
  );
  return results.map(described);
};

const inputTensor = (rows: TextRequest[string]): TensorData => {
  const texts = rows.filter((row) => row instanceof Uint8Array);
  if (texts.length > 0 || rows.length === 0) return { dtype: "BYTES", shape: [texts.length, 1], data: texts };
  const ids = rows as readonly (readonly (number | bigint)[])[];
  return tensorOf("INT64", [ids.length, ids[0]?.length ?? 0], ids.flat().map(BigInt));
};

/** Triton's error codes for our own codes. */
const tritonCodes: Readonly<Record<string, string>> = {
  "request/invalid": "INVALID_ARG",
  "model/failed": "INTERNAL",
};

const described = (result: ModelResult): Answer =>
  "error" in result
    ? { code: tritonCodes[result.error.code] ?? result.error.code, message: result.error.message }
    : Object.fromEntries(
        [...result.outputs].map(([name, tensor]) => [
          name,
          tensor.dtype === "BYTES" ? describedTexts(tensor) : describedTensor(tensor),
        ]),
      );

const describedTensor = (tensor: FixedTensor): DescribedTensor => ({
  dtype: tensor.dtype,
  shape: tensor.shape,
  head: Array.from(typedArrayOf(tensor).subarray(0, 40), Number),
  sha256: createHash("sha256").update(tensor.data).digest("hex"),
});

const describedTexts = ({ dtype, shape, data }: BytesTensor): DescribedTensor => ({
  dtype,
  shape,
  head: data.map(decodeUtf8),
  sha256: "",
});
