import { httpClient, grpcClient, type InferCall, type InferenceClient } from "@tritype/client";
import { type NamedTensors, PipelineError, type TensorData, valuesOf } from "@tritype/core";
import type { Runtime } from "@tritype/runtime";
import { expect } from "vitest";
import type { Judged } from "./judge.ts";

/**
 * Sends requests to the real Triton (HTTP and gRPC) and to the local runtime (twins and Python), and expects the same
 * answers or refusals.
 */
export const expectSameAnswers = async (
  { triton, local, python }: Judged,
  call: InferCall,
): Promise<void> => {
  const http = httpClient(triton.httpUrl, { timeoutMs: 20_000 });
  const grpc = grpcClient(triton.grpcAddress, { timeoutMs: 20_000 });
  const wanted = await outcome(http, call);
  expectSame(await outcome(grpc, call), overGrpc(wanted), "Triton over gRPC");
  await grpc.close();
  expectSame(await outcome(local, call), wanted, "the local runtime");
  expectSame(await outcome(await python(), call), wanted, "the local runtime with Python");
};

/** The outcome over gRPC: Node's HTTP/2 drops a message that ends in a space, such as Triton's for a wrong shape without batching. */
const overGrpc = (wanted: Outcome): Outcome =>
  typeof wanted["error"] === "string" && wanted["error"].endsWith(" ")
    ? { error: "request/invalid: the server answered INVALID_ARGUMENT without a reason" }
    : wanted;

const expectSame = (got: Outcome, wanted: Outcome, who: string): void => {
  expect(withoutFloats(got), who).toEqual(withoutFloats(wanted));
  for (const [name, tensor] of Object.entries(wanted))
    if (typeof tensor !== "string") expectClose(got[name], tensor, `${name} of ${who}`);
};

/** Outputs by name in any order, or `{ error: "code: text" }`. */
type Outcome = Readonly<Record<string, TensorData | string>>;

/** The answer or the refusal of a server. */
export const outcome = async (server: InferenceClient | Runtime, call: InferCall): Promise<Outcome> => {
  try {
    const answer = await server.infer({ ...call, id: call.id ?? "" });
    const outputs: NamedTensors = "outputs" in answer ? answer.outputs : answer;
    return Object.fromEntries(outputs);
  } catch (error) {
    if (!PipelineError.is(error)) throw error;
    return { error: `${error.code}: ${error.message}` };
  }
};

const isFloat = ({ dtype }: TensorData): boolean => /^B?F/.test(dtype);

const withoutFloats = (answer: Outcome): object =>
  Object.fromEntries(
    Object.entries(answer).map(([name, tensor]) => [
      name,
      typeof tensor !== "string" && isFloat(tensor) ? { dtype: tensor.dtype, shape: tensor.shape } : tensor,
    ]),
  );

/** Expects floats to differ by at most 1e-6 of the value, or by 1e-6 if it is less than 1. */
const expectClose = (got: TensorData | string | undefined, wanted: TensorData, what: string): void => {
  if (!isFloat(wanted) || got === undefined || typeof got === "string") return;
  const expected = valuesOf(wanted) as readonly number[];
  const far = (valuesOf(got) as readonly number[]).flatMap((value, i) => {
    const other = expected[i] ?? Number.NaN;
    const same = Object.is(value, other) || Math.abs(value - other) <= 1e-6 * Math.max(1, Math.abs(other));
    return same ? [] : [`[${i}] ${value} instead of ${other}`];
  });
  expect(far, what).toEqual([]);
};
