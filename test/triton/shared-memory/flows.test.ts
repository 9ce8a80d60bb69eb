import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import {
  createExtensions,
  type Extensions,
  type GrpcServer,
  type HttpServer,
  serveGrpc,
  serveHttp,
} from "@tritype/server";
import { afterAll, beforeAll, expect, test } from "vitest";
import { installTime, type Judged, judgeFiles } from "../judge.ts";
import { memoryModels } from "./memory-models.ts";

const script = fileURLToPath(new URL("flows.py", import.meta.url));

/** Answers after half a second. */
const slow = {
  "slow/config.pbtxt": `backend: "python" max_batch_size: 8
input { name: "X" data_type: TYPE_INT32 dims: [ 2 ] }
output { name: "Y" data_type: TYPE_INT32 dims: [ 2 ] }
`,
  "slow/1/model.py": `
import time

import triton_python_backend_utils as pb_utils


class TritonPythonModel:
    def execute(self, requests):
        time.sleep(0.5)
        values = [pb_utils.get_input_tensor_by_name(request, "X").as_numpy() for request in requests]
        return [pb_utils.InferenceResponse([pb_utils.Tensor("Y", x + 1)]) for x in values]
`,
};

let judged: Judged;
let extensions: Extensions;
let http: HttpServer;
let grpc: GrpcServer;
beforeAll(async () => {
  judged = await judgeFiles({ ...memoryModels(), ...slow });
  extensions = createExtensions();
  http = await serveHttp(judged.local, { port: 0, extensions });
  grpc = await serveGrpc(judged.local, { port: 0, extensions });
}, installTime);
afterAll(async () => {
  await Promise.all([http?.close(), grpc?.close()]);
  await extensions?.close();
  await judged?.stop();
});

const flows = async (protocol: string, address: string): Promise<object> => {
  const place = address.replace("http://", "");
  const prefix = `tritype-flows-${process.pid}-${place.replace(/.*:/, "")}`;
  const { stdout } = await promisify(execFile)(judged.installation.python, [script, protocol, place, prefix]);
  return JSON.parse(stdout.replaceAll(prefix, "<prefix>")) as object;
};

test.each(["http", "grpc"])(
  "the official client's flows with shared memory give Triton's results over %s",
  async (protocol) => {
    const [theirs, ours] =
      protocol === "http" ? [judged.triton.httpUrl, http.url] : [judged.triton.grpcAddress, grpc.address];
    const [wanted, got] = await Promise.all([flows(protocol, theirs), flows(protocol, ours)]);
    expect(got).toEqual(wanted);
    expect(wanted).toMatchObject({
      "two numbers": [expect.anything(), expect.anything(), [[[1.5, -1]], [[0.5, 5]]], [expect.anything()]],
      "a region is unregistered while it is in use": [
        expect.stringContaining("currently in use"),
        expect.anything(),
        [[8, 9]],
        [expect.anything()],
      ],
      "the object of a region is removed while it is in use": [
        null,
        expect.anything(),
        [[8, 9]],
        [expect.anything()],
      ],
      strings: [expect.anything(), ["one", "zwölf", ""]],
    });
  },
  installTime,
);

test("a region registered over HTTP is available over gRPC", async () => {
  await flows("http", http.url);
  expect(extensions.regions.status("")).toEqual([]);
});
