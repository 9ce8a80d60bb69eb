import type { DType } from "@tritype/core";
import { configText } from "../../packages/runtime/src/fixtures/onnx-models.ts";
import type { Files } from "../../packages/runtime/src/fixtures/temporary-repository.ts";

const identity = (output: string): string => `
import triton_python_backend_utils as pb_utils


class TritonPythonModel:
    def execute(self, requests):
        inputs = [pb_utils.get_input_tensor_by_name(request, "INPUT") for request in requests]
        return [pb_utils.InferenceResponse([${output}]) for tensor in inputs]
`;
const copied = identity('pb_utils.Tensor("OUTPUT", tensor.as_numpy())');
/** Python that passes its input on without numpy, which has no BF16. */
const handedOn = identity('pb_utils.Tensor.from_dlpack("OUTPUT", tensor.to_dlpack())');

/** Name of the model for a dtype that returns `OUTPUT` = `INPUT`, with any two dims. */
export const echo = (dtype: DType): string => `echo_${dtype.toLowerCase()}`;
export const echoFiles = (dtype: DType): Files => ({
  [`${echo(dtype)}/config.pbtxt`]: `backend: "python"\n${configText(echo(dtype), {
    inputs: [{ name: "INPUT", dtype, dims: [-1, -1] }],
    outputs: [{ name: "OUTPUT", dtype, dims: [-1, -1] }],
  })}`,
  [`${echo(dtype)}/1/model.py`]: dtype === "BF16" ? handedOn : copied,
});
