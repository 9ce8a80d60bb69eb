/** A model that the server may or may not load, and the request that fails. */
export interface FailingModel {
  readonly code: string;
  readonly config: string;
  readonly python: string;
  /** The requests, sent in parallel. */
  readonly requests?: number;
  /** The number of classes of the output to request. */
  readonly classes?: number;
  readonly files?: Readonly<Record<string, string>>;
  /** The status of the answer and its text, followed by the reason why the model did not load. */
  readonly says: RegExp;
}

const head = `import json

import numpy as np
import triton_python_backend_utils as pb_utils


class TritonPythonModel:
`;

const numbers = `backend: "python"
input { name: "x" data_type: TYPE_FP32 dims: 2 }
output { name: "y" data_type: TYPE_FP32 dims: 2 }
`;

const texts = `backend: "python"
input { name: "text" data_type: TYPE_STRING dims: 1 }
output { name: "y" data_type: TYPE_FP32 dims: 2 }
`;

const answer = `    def execute(self, requests):
        responses = []
        for request in requests:
            x = pb_utils.get_input_tensor_by_name(request, "x").as_numpy()
            responses.append(pb_utils.InferenceResponse([pb_utils.Tensor("y", x)]))
        return responses
`;

const decode = (element: string): string => `    def execute(self, requests):
        responses = []
        for request in requests:
            values = pb_utils.get_input_tensor_by_name(request, "text").as_numpy()
            lengths = [len(${element}.decode("utf-8")) for value in values]
            y = np.full((len(lengths), 2), lengths[0], dtype=np.float32)
            responses.append(pb_utils.InferenceResponse([pb_utils.Tensor("y", y)]))
        return responses
`;

const parameters = (read: string): string => `    def initialize(self, args):
        parameters = json.loads(args["model_config"])["parameters"]
        self.scale = ${read}

${answer}`;

const recipe = 'parameters["recipe"]["string_value"]';

const caller = (model: string, input: string, output: string): string => `    def execute(self, requests):
        return [self.answer(request) for request in requests]

    def answer(self, request):
        x = pb_utils.get_input_tensor_by_name(request, "x").as_numpy()
        call = pb_utils.InferenceRequest(
            model_name="${model}",
            requested_output_names=["${output}"],
            inputs=[pb_utils.Tensor("${input}", x)],
        )
        response = call.exec()
        if response.has_error():
            raise pb_utils.TritonModelException(response.error().message())
        y = pb_utils.get_output_tensor_by_name(response, "${output}").as_numpy()
        return pb_utils.InferenceResponse([pb_utils.Tensor("y", y)])
`;

export const failingModels: Readonly<Record<string, FailingModel>> = {
  undefined_type: {
    code: "config/enum-number",
    config: numbers.replace("TYPE_FP32", "99"),
    python: head + answer,
    says: /^400 .*data-type is 'FP32', but model '\w+' expects '<invalid>'/,
  },
  input_twice: {
    code: "tensor/duplicate-input",
    config: `${numbers}input { name: "x" data_type: TYPE_INT64 dims: 3 }\n`,
    python: head + answer,
    says: /^400 .*expected 2 inputs but got 1 inputs/,
  },
  no_execute: {
    code: "python/no-execute",
    config: numbers,
    python: `${head}    def initialize(self, args):\n        self.scale = 2\n`,
    says: /^500 .*does not implement `execute` method/,
  },
  no_class: {
    code: "python/no-model-class",
    config: numbers,
    python: (head + answer).replace("TritonPythonModel", "Model"),
    says: /^404 /,
  },
  broken_text: {
    code: "python/syntax-error",
    config: numbers,
    python: (head + answer).replace("return responses", "return = responses"),
    says: /^404 /,
  },
  early_annotation: {
    code: "python/too-early",
    config: numbers,
    python: (head + answer).replace("requests):", "requests: list[pb_utils.InferenceRequest]):"),
    says: /^404 .*AttributeError: module 'triton_python_backend_utils' has no attribute 'InferenceRequest'/,
  },
  early_import: {
    code: "python/too-early",
    config: numbers,
    python: `from triton_python_backend_utils import Tensor\n${head}${answer}`,
    says: /^404 .*ImportError: cannot import name 'Tensor' from 'triton_python_backend_utils'/,
  },
  early_value: {
    code: "python/too-early",
    config: numbers,
    python: `${head}    tensor = pb_utils.Tensor\n\n${answer}`,
    says: /^404 .*AttributeError: module 'triton_python_backend_utils' has no attribute 'Tensor'/,
  },
  unset_attribute: {
    code: "python/unset-attribute",
    config: numbers,
    python:
      head + answer.replace("        responses = []", "        print(self.count)\n        responses = []"),
    says: /^500 .*AttributeError: 'TritonPythonModel' object has no attribute 'count'/,
  },
  undefined_name: {
    code: "python/undefined-name",
    config: numbers,
    python:
      head + answer.replace("        responses = []", "        print(MODEL_SUFFIX)\n        responses = []"),
    says: /^500 .*NameError: name 'MODEL_SUFFIX' is not defined/,
  },
  values_as_rows: {
    code: "python/wrong-rank",
    config: texts,
    python: head + decode("value[0]"),
    says: /^500 .*'int' object has no attribute 'decode'/,
  },
  rows_as_values: {
    code: "python/wrong-rank",
    config: `${texts}max_batch_size: 4\n`,
    python: head + decode("value"),
    says: /^500 .*'numpy.ndarray' object has no attribute 'decode'/,
  },
  parameter_object: {
    code: "python/parameter-at-load",
    config: `${numbers}parameters { key: "scale" value { string_value: "3" } }\n`,
    python: head + parameters('int(parameters.get("scale", 1))'),
    says: /^404 /,
  },
  parameter_as_path: {
    code: "python/parameter-at-load",
    config: `${numbers}parameters { key: "recipe" value { string_value: "/dev/null" } }\n`,
    python: head + parameters('open(parameters["recipe"]).read()'),
    says: /^404 /,
  },
  missing_parameter: {
    code: "python/missing-parameter",
    config: numbers,
    python: head + parameters('parameters["scale"]["string_value"]'),
    says: /^404 /,
  },
  missing_asset: {
    code: "python/missing-asset",
    config: `${numbers}parameters { key: "recipe" value { string_value: "recipe.json" } }\n`,
    python: head + parameters(`open(args["model_repository"] + "/" + ${recipe}).read()`),
    says: /^404 /,
  },
  asset_elsewhere: {
    code: "python/working-directory",
    config: `${numbers}parameters { key: "recipe" value { string_value: "recipe.json" } }\n`,
    python: head + parameters(`open(${recipe}).read()`),
    files: { "recipe.json": "{}\n", "1/recipe.json": "{}\n" },
    says: /^404 /,
  },
  undeclared_output: {
    code: "python/undeclared-output",
    config: numbers,
    python: head + answer.replace('"y"', '"z"'),
    says: /^200 .*"outputs":\[\]/,
  },
  undeclared_input: {
    code: "python/undeclared-input",
    config: numbers,
    python: head + answer.replace('request, "x"', 'request, "ids"'),
    says: /^500 .*'NoneType' object has no attribute 'as_numpy'/,
  },
  wrong_dtype: {
    code: "python/wrong-dtype",
    config: numbers,
    python: head + answer.replace('"y", x', '"y", x.astype(np.int64)'),
    says: /^200 .*"datatype":"INT64"/,
  },
  text_array: {
    code: "python/text-array",
    config: numbers,
    python: head + answer.replace('"y", x', '"y", np.array(["good", "bad"])'),
    says: /^500 .*TritonModelException: NumPy dtype is not supported/,
  },
  labelled_halves: {
    code: "tensor/unranked-labels",
    config: numbers.replace(
      '"y" data_type: TYPE_FP32',
      '"y" label_filename: "labels.txt" data_type: TYPE_FP16',
    ),
    python: head + answer.replace('"y", x', '"y", x.astype(np.float16)'),
    classes: 1,
    files: { "labels.txt": "bad\ngood\n" },
    says: /^400 .*class result not available for output due to unsupported type 'FP16'/,
  },
  calls_nobody: {
    code: "python/called-model",
    config: numbers,
    python: head + caller("wrong_dtypes", "x", "y"),
    says: /^500 .*Failed for execute the inference request\. Model 'wrong_dtypes' is not ready/,
  },
  calls_an_old_version: {
    code: "python/called-version",
    config: numbers,
    python: head + caller("wrong_dtype", "x", "y").replace("model_name=", "model_version=2, model_name="),
    says: /^500 .*Failed for execute the inference request\. Model 'wrong_dtype' is not ready/,
  },
  calls_for_an_output: {
    code: "python/called-tensor",
    config: numbers,
    python: head + caller("wrong_dtype", "x", "z"),
    says: /^500 .*unexpected inference output 'z' for model 'wrong_dtype'/,
  },
  calls_with_an_input: {
    code: "python/called-tensor",
    config: numbers,
    python: head + caller("wrong_dtype", "a", "y"),
    says: /^500 .*unexpected inference input 'a' for model 'wrong_dtype'/,
  },
  one_response: {
    code: "python/one-response",
    config: `${numbers}max_batch_size: 2 dynamic_batching { max_queue_delay_microseconds: 3000000 }\n`,
    python: `${head}    def execute(self, requests):
        tensors = []
        for request in requests:
            x = pb_utils.get_input_tensor_by_name(request, "x").as_numpy()
            tensors.append(pb_utils.Tensor("y", x))
        responses = [pb_utils.InferenceResponse(output_tensors=tensors)]
        return responses
`,
    requests: 2,
    says: /^500 .*Number of InferenceResponse objects do not match/,
  },
};

/** Labels on texts: a request for classes crashes the server. */
export const labelledTexts: readonly [config: string, python: string] = [
  numbers.replace('"y" data_type: TYPE_FP32', '"y" label_filename: "labels.txt" data_type: TYPE_STRING'),
  head + answer.replace('"y", x', '"y", np.array([b"bad", b"good"], dtype=np.object_)'),
];

/** A model whose warmup fails or crashes the server, and the model that the warmup calls. */
export const warmupCalls: Readonly<Record<string, readonly [config: string, python: string]>> = {
  inner: [numbers, head + answer],
  outer: [
    `${numbers}model_warmup { name: "w" batch_size: 1 inputs { key: "x" value { data_type: TYPE_FP32 dims: 2 zero_data: true } } }\n`,
    `${head}    def execute(self, requests):
        responses = []
        for request in requests:
            x = pb_utils.get_input_tensor_by_name(request, "x")
            call = pb_utils.InferenceRequest(model_name="inner", requested_output_names=["y"], inputs=[x])
            y = pb_utils.get_output_tensor_by_name(call.exec(), "y")
            responses.append(pb_utils.InferenceResponse([y]))
        return responses
`,
  ],
};
