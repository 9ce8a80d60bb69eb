import { join } from "node:path";
import { grpcClient, httpClient } from "@tritype/client";
import { serveTriton, type TritonServer } from "@tritype/tritonserver";
import { afterAll, beforeAll } from "vitest";
import { writeFiles } from "../../packages/runtime/src/fixtures/temporary-repository.ts";
import { clientCases } from "../../packages/client/src/client.cases.ts";
import { everyDType } from "../../packages/protocol/src/tensor-arbitrary.fixture.ts";
import { echo, echoFiles } from "./echo-models.ts";
import { installJudge, installTime, killTriton, type TemporaryFolder, temporaryFolder } from "./judge.ts";

let folder: TemporaryFolder;
let triton: TritonServer;
beforeAll(async () => {
  folder = await temporaryFolder();
  const repository = join(folder.path, "model_repository");
  for (const dtype of everyDType) writeFiles(repository, echoFiles(dtype));
  triton = await serveTriton(await installJudge(), { repository });
  await triton.waitReady();
}, installTime);
afterAll(async () => {
  await killTriton(triton);
  await folder.remove();
});

clientCases("httpClient against Triton", { open: (options) => httpClient(triton.httpUrl, options), echo });
clientCases("grpcClient against Triton", {
  open: (options) => grpcClient(triton.grpcAddress, options),
  echo,
  wrongRank: /^the server answered INVALID_ARGUMENT without a reason$/,
});
