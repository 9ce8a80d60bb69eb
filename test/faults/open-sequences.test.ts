import { join } from "node:path";
import { Client, credentials } from "@grpc/grpc-js";
import { tensorOf } from "@tritype/core";
import { buildModel } from "@tritype/onnx";
import { grpcInferRequest, grpcMethod } from "@tritype/protocol";
import { startRuntime } from "@tritype/runtime";
import { serveGrpc, serveHttp } from "@tritype/server";
import { expect, onTestFinished, test } from "vitest";
import { writeFiles } from "../../packages/runtime/src/fixtures/temporary-repository.ts";
import { temporaryFolder } from "../triton/judge.ts";

/** `TRITYPE_LOAD=long`: 10,000. */
const sequences = process.env["TRITYPE_LOAD"] === "long" ? 10_000 : 2000;

const type = { dtype: "INT32", dims: ["batch", 1] } as const;
const same = buildModel(
  { name: "same", inputs: [{ name: "X", type }], outputs: [{ name: "Y", type }] },
  (b) => ({ Y: b.node("Identity", ["X"])[0] }),
);
const config = `backend: "onnxruntime"
max_batch_size: 64
input { name: "X" data_type: TYPE_INT32 dims: [ 1 ] }
output { name: "Y" data_type: TYPE_INT32 dims: [ 1 ] }
instance_group { kind: KIND_CPU count: 1 }
sequence_batching { max_sequence_idle_microseconds: 60000000 oldest { max_candidate_sequences: 20000 } }
`;

interface Answer {
  readonly error_message: string;
  readonly infer_response: { readonly id: string; readonly raw_output_contents: readonly Buffer[] };
}

test("thousands of open sequences on one stream are answered in order, and other clients do not wait", async () => {
  const folder = await temporaryFolder();
  const repository = join(folder.path, "model_repository");
  writeFiles(repository, { "same/config.pbtxt": config, "same/1/model.onnx": same });
  const runtime = await startRuntime({ repository, device: "cpu", python: "twin", notice: () => {} });
  const [http, grpc] = [await serveHttp(runtime, { port: 0 }), await serveGrpc(runtime, { port: 0 })];
  onTestFinished(async () => {
    await Promise.all([http.close(), grpc.close()]);
    await runtime.close(true);
    await folder.remove();
  });
  const { path, request, response } = grpcMethod("ModelStreamInfer");
  const client = new Client(grpc.address, credentials.createInsecure());
  const call = client.makeBidiStreamRequest(
    path,
    (message: object) => Buffer.from(request.encode(message)),
    (bytes: Buffer) => response.decode(bytes) as Answer,
  );
  const answers: string[] = [];
  call.on(
    "data",
    ({
      error_message: error,
      infer_response: {
        id,
        raw_output_contents: [y],
      },
    }: Answer) => {
      answers.push(error === "" ? `${id} ${y?.readInt32LE()}` : error);
    },
  );
  const ended = new Promise((resolve) => call.on("status", resolve));
  const wanted: string[] = [];
  for (const step of [0, 1, 2])
    for (let sequence = 1; sequence <= sequences; sequence++) {
      const id = `${sequence}.${step}`;
      const parameters = { sequence_id: sequence, sequence_start: step === 0, sequence_end: step === 2 };
      const inputs = new Map([["X", tensorOf("INT32", [1, 1], [wanted.length])]]);
      call.write(grpcInferRequest({ model: "same", id, inputs, parameters }));
      wanted.push(`${id} ${wanted.length}`);
    }
  call.end();
  await expect.poll(() => answers.length).toBeGreaterThan(0);
  expect((await fetch(`${http.url}/v2/health/live`)).status).toBe(200);
  await ended;
  client.close();
  expect(answers).toEqual(wanted);
  expect(runtime.statistics("same")[0]).toMatchObject({ pending: 0, inference_count: wanted.length });
});
