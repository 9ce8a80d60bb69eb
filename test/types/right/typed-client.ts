import type { InferOutputs, TensorValue } from "tritype";
import { type ClientError, createClient, type RawTensor } from "tritype/client";
import { createGrpcClient } from "tritype/client/grpc";
import type { AllTrue, Equal } from "../equal.ts";
import { embed } from "./nested-ensembles.ts";
import type { embed as embedType } from "./nested-ensembles.ts";
import { labels } from "./text-outputs.ts";

const url = "http://127.0.0.1:8000";
export const byName = createClient<typeof embedType>({ url, ensemble: "embed" });
export const byDefinition = createClient({ url, ensemble: embed, deadlineMs: 1_000, retries: 0 });
export const overGrpc = createGrpcClient({ address: "127.0.0.1:8001", ensemble: embed });
export const untyped = createClient({ url, ensemble: "anything" });
export const texts = createClient({ url, ensemble: labels });

export const ask = async () => {
  const all = await byName.infer({ text: ["one"] });
  const some = await byDefinition.infer(
    { text: { data: ["one"], shape: [1, 1] } },
    { outputs: ["first"], id: "7" },
  );
  const same = await overGrpc.infer({ text: [new Uint8Array([111])] }, { idempotent: true });
  const bytes = await texts.infer({ text: ["one"] }, { raw: ["label"] });
  const any = await untyped.infer({ whatever: [1, 2] });
  return { all, some, same, bytes, any };
};
export const kind = (error: ClientError): boolean => error.kind === "deadline" || error.kind === "contract";

type Asked = Awaited<ReturnType<typeof ask>>;
export type Checks = AllTrue<
  [
    Equal<Asked["all"], InferOutputs<typeof embed>>,
    Equal<Asked["same"], Asked["all"]>,
    Equal<Asked["some"], { readonly first: TensorValue<"FP32", ["batch", 384]> }>,
    Equal<Asked["some"]["first"]["data"], Float32Array>,
    Equal<Asked["bytes"]["label"], RawTensor<readonly [number, 1]>>,
    Equal<Asked["bytes"]["same"]["data"], boolean[]>,
    // A tensor with only the batch dim gets a size-1 dim after it on the wire.
    Equal<Asked["bytes"]["same"]["shape"], readonly [number, 1]>,
  ]
>;
