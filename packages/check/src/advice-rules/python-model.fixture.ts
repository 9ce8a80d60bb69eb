import { expect, test } from "vitest";
import { showAdvice } from "./advice.fixture.ts";

export const config = (more = ""): string => `
backend: "python"
input { name: "x" data_type: TYPE_FP32 dims: 2 }
output { name: "y" data_type: TYPE_FP32 dims: 2 }
${more}`;

export const head = `import json
import numpy as np
import triton_python_backend_utils as pb_utils

`;

/** The findings for a model with one `model.py`; positions omit the folder. */
export const advise = (python: string, pbtxt = config()): string =>
  showAdvice({ "m/config.pbtxt": pbtxt, "m/1/model.py": python }).replaceAll(/^m\//gm, "");

export const model = (execute: string, initialize = "pass"): string =>
  `${head}class TritonPythonModel:
    def initialize(self, args):
${indent(initialize)}

    def execute(self, requests):
${indent(execute)}
`;

const indent = (text: string): string => text.replaceAll(/^(?=.)/gm, "        ");

export const answer = `responses = []
for request in requests:
    x = pb_utils.get_input_tensor_by_name(request, "x").as_numpy()
    responses.append(pb_utils.InferenceResponse(output_tensors=[pb_utils.Tensor("y", x)]))
return responses`;

interface Case {
  readonly name: string;
  readonly python: string;
  readonly pbtxt?: string;
  readonly says: string;
}

export const cases = (table: readonly Case[]): void => {
  test.each(table)("$name", ({ python, pbtxt, says }) => expect(advise(python, pbtxt)).toBe(says));
};
