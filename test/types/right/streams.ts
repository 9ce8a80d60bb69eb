import {
  bytes,
  defineEnsemble,
  generate,
  type InferOutputs,
  int64,
  python,
  stream,
  type StreamedRun,
  type StreamTensor,
  type StreamTensorType,
  type Tensor,
  type TensorValue,
} from "tritype";
import { type Answers, createClient, type Sequence, type StreamingClient } from "tritype/client";
import { createGrpcClient } from "tritype/client/grpc";
import type { AllTrue, Equal } from "../equal.ts";
import { embed } from "./nested-ensembles.ts";

const speak = python({
  name: "speak",
  file: "speaker.py",
  inputs: { text: bytes("batch", 1) },
  outputs: { word: bytes("batch", 1) },
  modelTransactionPolicy: { decoupled: true },
});
export const tokens = generate({
  name: "tokens",
  from: "models/chat",
  stream: true,
  text: { from: "models/chat" },
});
const words = defineEnsemble({
  name: "words",
  maxBatchSize: 1,
  inputs: { text: bytes("batch", 1) },
  run: ({ text }) => ({ word: speak({ text }).word, text }),
});
/** All of its outputs come from tensor math. */
const shifted = defineEnsemble({
  name: "shifted",
  maxBatchSize: 1,
  inputs: { input_ids: int64("batch", "seq"), attention_mask: int64("batch", "seq") },
  run: (inputs) => ({ next: stream(tokens(inputs).sequences.add(1)) }),
});

const url = "http://127.0.0.1:8000";
export const client = createClient<typeof words>({ url, ensemble: "words" });
export const overGrpc = createGrpcClient({ address: "127.0.0.1:8001", ensemble: words });
export const untyped = createClient({ url, ensemble: "anything" });
export const once = createClient({ url, ensemble: embed });

export const ask = async (signal: AbortSignal): Promise<readonly string[]> => {
  const got: string[] = [];
  for await (const { word } of words.run({ text: ["a"] })) got.push(...word.data);
  for await (const { word } of speak.run({ text: ["a"] })) got.push(...word.data);
  for await (const { word } of client.stream({ text: ["a"] }, { signal, outputs: ["word"] }))
    got.push(...word.data);
  for await (const { word } of overGrpc.stream({ text: ["a"] })) got.push(...word.toArray());
  for await (const { any } of untyped.stream({ x: 1 })) got.push(String(any?.data));
  await using dialogue = once.sequence({ id: 7n });
  const { first } = await dialogue.infer({ text: ["a"] }, { outputs: ["first"] });
  const { embedding } = await dialogue.end({ text: ["b"] });
  await using spoken = client.sequence();
  for await (const { word } of spoken.stream({ text: ["a"] })) got.push(...word.data);
  for await (const { word } of spoken.end({ text: ["b"] }, { outputs: ["word"] })) got.push(...word.data);
  return [...got, String(first.data), String(embedding.data)];
};

export type Checks = AllTrue<
  [
    Equal<(typeof speak)["outputs"]["word"], StreamTensorType<"BYTES", ["batch", 1]>>,
    Equal<ReturnType<typeof ran>, StreamedRun<InferOutputs<typeof words>>>,
    Equal<InferOutputs<typeof words>["word"], TensorValue<"BYTES", readonly ["batch", 1]>>,
    Equal<ReturnType<typeof shifting>, StreamedRun<InferOutputs<typeof shifted>>>,
    Equal<ReturnType<typeof marked>, StreamTensor<"INT64", ["batch", 2]>>,
    Equal<typeof client, StreamingClient<{ readonly text: Texts }, InferOutputs<typeof words>>>,
    Equal<ReturnType<typeof asked>, Answers<Pick<InferOutputs<typeof words>, "word">>>,
    Equal<ReturnType<typeof sequenceOf>["id"], Sequence<never, never>["id"]>,
  ]
>;
type Texts = Parameters<typeof client.stream>[0]["text"];
export const ran = () => words.run({ text: ["a"] });
export const shifting = () => shifted.run({ input_ids: [[1n]], attention_mask: [[1n]] });
export const marked = (x: Tensor<"INT64", ["batch", 2]>) => stream(x);
export const asked = () => client.stream({ text: ["a"] }, { outputs: ["word"] });
export const sequenceOf = () => once.sequence();
