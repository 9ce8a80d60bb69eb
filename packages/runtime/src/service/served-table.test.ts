import { expect, test } from "vitest";
import { pythonWithNumpy } from "../../../../test/environment/python.ts";
import { floats, infer, refusal, served } from "../fixtures/served.ts";

const slow = `
import time
import triton_python_backend_utils as pb_utils
class TritonPythonModel:
    def execute(self, requests):
        time.sleep(1)
        return [pb_utils.InferenceResponse([pb_utils.Tensor("Y", request.inputs()[0].as_numpy())]) for request in requests]
`;
const config = `backend: "python" max_batch_size: 0
input [ { name: "X" data_type: TYPE_FP32 dims: [ 1 ] } ]
output [ { name: "Y" data_type: TYPE_FP32 dims: [ 1 ] } ]
`;

test("each process is listed once while its model ends, and not after close()", async () => {
  const runtime = await served(
    { "m/config.pbtxt": config, "m/1/model.py": slow },
    { pythonCommand: await pythonWithNumpy() },
  );
  const pids = () => runtime.processes().map(({ pid }) => pid);
  const before = pids();
  expect(before).toHaveLength(1);
  const answer = infer(runtime, "m", { X: floats([1], 1) });
  const closing = runtime.close();
  expect(pids()).toEqual(before);
  expect(await refusal(answer)).toBe("no error");
  await closing;
  expect(pids()).toEqual([]);
});
