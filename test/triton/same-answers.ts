import { httpClient, grpcClient, type InferCall, type InferenceClient } from "@tritype/client";
import { type NamedTensors, PipelineError, type TensorData, valuesOf } from "@tritype/core";
import type { Runtime } from "@tritype/runtime";
import { expect } from "vitest";
import type { Judged } from "./judge.ts";

/**
 * Sends requests to the real Triton (HTTP and gRPC) and the local runtime (twins and Python); their answers or refusals
 * must be the same.
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

/** Node's HTTP/2 drops a text that ends in a space, like Triton's message for a wrong shape of an unbatched model. */
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

/** An answer or a refusal of one server. */
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

/** Floats within 1e-6 of 1 or of the value, whichever is larger. */
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
