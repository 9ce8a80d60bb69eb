import type { InferInputs, InferOutputs, ShapedElements, TensorValue } from "tritype";
import type { AllTrue, Equal } from "../equal.ts";
import { embed, type similarity } from "./nested-ensembles.ts";

type Texts = readonly (string | Uint8Array)[] | ShapedElements<"BYTES">;
type Answer = InferOutputs<typeof embed>;

export const texts: InferInputs<typeof embed> = { text: ["one", new Uint8Array([111])] };
export const withShape: InferInputs<typeof embed> = { text: { data: ["one", "two"], shape: [2, 1] } };
/** `data` takes everything that nested arrays take. */
const list: readonly string[] = ["one"];
export const bytesWithShape: InferInputs<typeof embed> = {
  text: { data: [...list, new Uint8Array([111])], shape: [2, 1] },
};
export const numbers: ShapedElements<"FP32"> = { data: [1, 2], shape: [1, 2] };
export const integers: ShapedElements<"INT64"> = { data: [1, 2n], shape: [2] };

export const vectors = (answer: Answer): readonly (readonly number[])[] => answer.embedding.toArray();

/** `run` takes and returns the same types. */
export const ran: Promise<Answer> = embed.run({ text: ["one"] });

export type Checks = AllTrue<
  [
    Equal<InferInputs<typeof embed>, { readonly text: Texts }>,
    Equal<InferInputs<typeof similarity>, { readonly left: Texts; readonly right: Texts }>,
    Equal<
      Answer,
      {
        readonly embedding: TensorValue<"FP32", ["batch", 384]>;
        readonly first: TensorValue<"FP32", ["batch", 384]>;
      }
    >,
    Equal<Answer["embedding"]["data"], Float32Array>,
    Equal<Answer["embedding"]["shape"], readonly [number, 384]>,
    Equal<ReturnType<InferOutputs<typeof similarity>["cosine"]["toArray"]>, readonly number[]>,
  ]
>;
