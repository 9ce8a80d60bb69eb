import { join } from "node:path";
import { serveTriton, type TritonServer } from "@tritype/tritonserver";
import { afterAll, beforeAll, expect, test } from "vitest";
import { writeFiles } from "../../packages/runtime/src/fixtures/temporary-repository.ts";
import type { AnyClient, Client } from "../../packages/typed-client/src/client.ts";
import type { ClientError } from "../../packages/typed-client/src/client-error.ts";
import type { Contract } from "../../packages/typed-client/src/contract.ts";
import { createHttpClient } from "../../packages/typed-client/src/create-http-client.ts";
import { createGrpcClient } from "../../packages/typed-client/src/grpc/create-grpc-client.ts";
import {
  everyDType,
  type Inputs,
  type Outputs,
  typedClientCases,
} from "../../packages/typed-client/src/typed-client.cases.ts";
import { echoFiles } from "./echo-models.ts";
import { installJudge, installTime, killTriton, type TemporaryFolder, temporaryFolder } from "./judge.ts";

/** A model that runs one request at a time for half a second. A request may limit its time in the queue. */
const slowFiles = {
  "slow/config.pbtxt": `backend: "python"
max_batch_size: 1
input [ { name: "x" data_type: TYPE_INT32 dims: [ 1 ] } ]
output [ { name: "y" data_type: TYPE_INT32 dims: [ 1 ] } ]
instance_group [ { count: 1 kind: KIND_CPU } ]
dynamic_batching { default_queue_policy { allow_timeout_override: true default_timeout_microseconds: 60000000 timeout_action: REJECT } }
`,
  "slow/1/model.py": `
import time
import triton_python_backend_utils as pb_utils


class TritonPythonModel:
    def execute(self, requests):
        time.sleep(0.5 * len(requests))
        inputs = [pb_utils.get_input_tensor_by_name(request, "x") for request in requests]
        return [pb_utils.InferenceResponse([pb_utils.Tensor("y", x.as_numpy())]) for x in inputs]
`,
};

let folder: TemporaryFolder;
let triton: TritonServer;
beforeAll(async () => {
  folder = await temporaryFolder();
  const repository = join(folder.path, "model_repository");
  for (const dtype of everyDType) writeFiles(repository, echoFiles(dtype));
  writeFiles(repository, slowFiles);
  triton = await serveTriton(await installJudge(), { repository });
  await triton.waitReady();
}, installTime);
afterAll(async () => {
  await killTriton(triton);
  await folder.remove();
});

typedClientCases(
  "HTTP against Triton",
  (ensemble) => createHttpClient({ url: triton.httpUrl, ensemble }),
  250_000,
);
typedClientCases("gRPC against Triton", (ensemble) =>
  createGrpcClient({ address: triton.grpcAddress, ensemble }),
);

const ints = { dtype: "INT32", dims: ["rows", "columns"] } as const;
const echo: Contract<Inputs, Outputs> = {
  name: "echo_int32",
  inputs: { INPUT: ints },
  outputs: { OUTPUT: ints },
};
test.each<[string, Partial<Contract>, Inputs]>([
  ["another dtype", { inputs: { INPUT: { ...ints, dtype: "FP32" } } }, { INPUT: [[1]] }],
  ["an unknown input", { inputs: { INPUT: ints, OTHER: ints } }, { INPUT: [[1]], OTHER: [[1]] }],
  ["another input", { inputs: { OTHER: ints } }, { OTHER: [[1]] }],
  ["a missing input", { inputs: {} }, {}],
  ["an unknown output", { outputs: { OTHER: ints } }, { INPUT: [[1]] }],
  ["an unknown model", { name: "no_such_model" }, { INPUT: [[1]] }],
])("a gRPC stream that Triton refuses for %s fails like a single answer", async (_, change, inputs) => {
  const open = (streams: boolean) =>
    createGrpcClient<Inputs, Outputs, boolean>({
      address: triton.grpcAddress,
      checkContract: false,
      ensemble: { ...echo, ...change, streams },
    }) as unknown as AnyClient<Inputs, Outputs>;
  const [one, stream] = [open(false), open(true)];
  const failureOf = (call: Promise<unknown>): Promise<unknown> =>
    call.then(
      () => undefined,
      ({ kind, status, mayHaveRun }: ClientError) => ({ kind, status, mayHaveRun }),
    );
  const failure = await failureOf(one.infer(inputs));
  expect(failure).toMatchObject({ kind: "refused", status: expect.any(String), mayHaveRun: false });
  expect(await failureOf(stream.stream(inputs).next())).toEqual(failure);
  one.close();
  stream.close();
});

test("a text of Triton's that ends with a space, which Node drops, has a status and a hint", async () => {
  const client = createGrpcClient({
    address: triton.grpcAddress,
    checkContract: false,
    ensemble: { ...echo, inputs: { INPUT: { ...ints, dims: ["n"] } } },
  });
  await expect(client.infer({ INPUT: [1] })).rejects.toMatchObject({
    kind: "refused",
    status: "INVALID_ARGUMENT",
    message:
      "ModelInfer answers INVALID_ARGUMENT: without a reason; it may be an input with an unexpected shape",
  });
  client.close();
});

const slow = "slow";
test.each<[string, () => Client<Inputs, Outputs>]>([
  ["HTTP", () => createHttpClient({ url: triton.httpUrl, ensemble: slow })],
  ["gRPC", () => createGrpcClient({ address: triton.grpcAddress, ensemble: slow })],
])(
  "a deadline over %s also ends a request that is waiting in Triton's queue: it is never executed",
  async (_, open) => {
    const client = open();
    await client.check();
    const before = await executed();
    // One request is running, and Triton has already taken some others out of the queue.
    const running = Promise.all([1, 2, 3, 4].map((n) => client.infer({ x: [n] })));
    await new Promise((resolve) => setTimeout(resolve, 100));
    // The deadline expires on the server rather than through this process's timer.
    const waiting = client.infer({ x: [2] }, { parameters: { timeout: 50_000 } });
    await expect(waiting).rejects.toMatchObject({
      kind: "deadline",
      message: "the request reached its time limit",
    });
    const late = client.infer({ x: [3] }, { deadlineMs: 100 });
    await expect(late).rejects.toMatchObject({ kind: "deadline", message: "no answer within 100 ms" });
    expect((await running).map((answer) => answer["y"]?.data)).toEqual(
      [1, 2, 3, 4].map((n) => Int32Array.of(n)),
    );
    await client.infer({ x: [5] });
    // Triton updates its counts only after it has answered.
    await expect.poll(async () => (await executed()) - before).toBe(5);
    client.close();
  },
);

/** How many requests the slow model has executed. */
const executed = async (): Promise<number> => {
  const answer = (await (await fetch(`${triton.httpUrl}/v2/models/slow/stats`)).json()) as {
    readonly model_stats: readonly [{ readonly execution_count: number }];
  };
  return answer.model_stats[0].execution_count;
};
