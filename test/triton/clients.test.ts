import { join } from "node:path";
import { grpcClient, httpClient } from "@tritype/client";
import type { DType } from "@tritype/core";
import { serveTriton, type TritonServer } from "@tritype/tritonserver";
import { afterAll, beforeAll } from "vitest";
import { clientCases } from "../../packages/client/src/client.cases.ts";
import { everyDType } from "../../packages/protocol/src/tensor-arbitrary.fixture.ts";
import { configText } from "../../packages/runtime/src/fixtures/onnx-models.ts";
import type { Files } from "../../packages/runtime/src/fixtures/temporary-repository.ts";
import { installJudge, installTime, type TemporaryFolder, temporaryFolder, writeFiles } from "./judge.ts";

const identity = (output: string): string => `
import triton_python_backend_utils as pb_utils


class TritonPythonModel:
    def execute(self, requests):
        inputs = [pb_utils.get_input_tensor_by_name(request, "INPUT") for request in requests]
        return [pb_utils.InferenceResponse([${output}]) for tensor in inputs]
`;
const copied = identity('pb_utils.Tensor("OUTPUT", tensor.as_numpy())');
/** numpy has no BF16. */
const handedOn = identity('pb_utils.Tensor.from_dlpack("OUTPUT", tensor.to_dlpack())');

const echo = (dtype: DType): string => `echo_${dtype.toLowerCase()}`;
const echoFiles = (dtype: DType): Files => ({
  [`${echo(dtype)}/config.pbtxt`]: `backend: "python"\n${configText(echo(dtype), {
    inputs: [{ name: "INPUT", dtype, dims: [-1, -1] }],
    outputs: [{ name: "OUTPUT", dtype, dims: [-1, -1] }],
  })}`,
  [`${echo(dtype)}/1/model.py`]: dtype === "BF16" ? handedOn : copied,
});

let folder: TemporaryFolder;
let triton: TritonServer;
beforeAll(async () => {
  folder = await temporaryFolder();
  const repository = join(folder.path, "model_repository");
  for (const dtype of everyDType) await writeFiles(repository, echoFiles(dtype));
  triton = await serveTriton(await installJudge(), { repository });
  await triton.waitReady();
}, installTime);
afterAll(async () => {
  await triton?.stop();
  await folder.remove();
});

clientCases("httpClient against Triton", { open: () => httpClient(triton.httpUrl), echo });
clientCases("grpcClient against Triton", {
  open: () => grpcClient(triton.grpcAddress),
  echo,
  wrongRank: /^the server answers INVALID_ARGUMENT without a reason$/,
});
