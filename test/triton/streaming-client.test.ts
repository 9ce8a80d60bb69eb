import type { DType } from "@tritype/core";
import { type GrpcServer, type HttpServer, serveGrpc, serveHttp } from "@tritype/server";
import { afterAll, beforeAll } from "vitest";
import { createHttpClient } from "../../packages/typed-client/src/create-http-client.ts";
import { createGrpcClient } from "../../packages/typed-client/src/grpc/create-grpc-client.ts";
import { streamingClientCases } from "../../packages/typed-client/src/streaming-client.cases.ts";
import { configText } from "../../packages/runtime/src/fixtures/onnx-models.ts";
import { echoFiles } from "./echo-models.ts";
import { installTime, judgeFiles } from "./judge.ts";
import { tellerModels } from "./teller-models.ts";

const copies = `
import triton_python_backend_utils as pb_utils


class TritonPythonModel:
    def execute(self, requests):
        for request in requests:
            sender = request.get_response_sender()
            x = pb_utils.get_input_tensor_by_name(request, "INPUT")
            for _ in range(2):
                sender.send(pb_utils.InferenceResponse([pb_utils.Tensor("OUTPUT", x.as_numpy())]))
            sender.send(flags=pb_utils.TRITONSERVER_RESPONSE_COMPLETE_FINAL)
`;
const copiesFiles = (dtype: DType) => {
  const name = `copies_${dtype.toLowerCase()}`;
  return {
    [`${name}/config.pbtxt`]: `backend: "python"\n${configText(name, {
      maxBatchSize: 4,
      inputs: [{ name: "INPUT", dtype, dims: [2] }],
      outputs: [{ name: "OUTPUT", dtype, dims: [2] }],
      extra: "model_transaction_policy { decoupled: true }",
    })}`,
    [`${name}/1/model.py`]: copies,
  };
};

/** Excludes BF16, which numpy does not have, and some other dtypes, because each needs a process. */
const ofPython: readonly DType[] = ["BOOL", "UINT8", "INT64", "FP16", "FP32", "FP64", "BYTES"];
/** Excludes FP64, whose last bit may change when Triton reads and writes JSON. */
const ofJson = ofPython.filter((dtype) => dtype !== "FP16" && dtype !== "FP64");

const many = process.env["TRITYPE_LOAD"] === "long" ? 2000 : 400;

let judged: Awaited<ReturnType<typeof judgeFiles>>;
let http: HttpServer;
let grpc: GrpcServer;
beforeAll(async () => {
  judged = await judgeFiles({
    ...tellerModels(),
    ...echoFiles("INT32"),
    ...Object.assign({}, ...ofPython.map(copiesFiles)),
  });
  http = await serveHttp(judged.local, { port: 0 });
  grpc = await serveGrpc(judged.local, { port: 0 });
}, installTime);
afterAll(async () => {
  await grpc?.close();
  await http?.close();
  await judged?.stop();
});

streamingClientCases("streams over HTTP against Triton", {
  open: (ensemble) => createHttpClient({ url: judged.triton.httpUrl, ensemble }),
  many,
  dtypes: ofJson,
  statuses: [400, undefined],
});
streamingClientCases("streams over gRPC against Triton", {
  open: (ensemble) => createGrpcClient({ address: judged.triton.grpcAddress, ensemble }),
  many,
  dtypes: ofPython,
  statuses: [undefined, undefined],
});
streamingClientCases("streams over HTTP against the local runtime", {
  open: (ensemble) => createHttpClient({ url: http.url, ensemble }),
  many,
  dtypes: ofJson,
  statuses: [400, undefined],
});
streamingClientCases("streams over gRPC against the local runtime", {
  open: (ensemble) => createGrpcClient({ address: grpc.address, ensemble }),
  many,
  dtypes: ofPython,
  statuses: [undefined, undefined],
});
