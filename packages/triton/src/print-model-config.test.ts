import { expect, it } from "vitest";
import type { ModelConfig } from "./generated/model-config.ts";
import { printModelConfig } from "./print-model-config.ts";

const encoder: ModelConfig = {
  dynamic_batching: { preferred_batch_size: [8, 16], max_queue_delay_microseconds: 2000 },
  instance_group: [{ count: 2, kind: "KIND_CPU" }],
  input: [
    { name: "input_ids", data_type: "TYPE_INT64", dims: [-1] },
    { name: "flag", data_type: "TYPE_BOOL", dims: [1], reshape: {} },
  ],
  output: [{ name: "pooled", data_type: "TYPE_FP32", dims: [384] }],
  name: "encoder",
  backend: "onnxruntime",
  max_batch_size: 64,
  default_model_filename: "model.onnx",
  version_policy: { latest: { num_versions: 1 } },
  optimization: {
    execution_accelerators: {
      gpu_execution_accelerator: [{ name: "tensorrt", parameters: { precision_mode: "FP16" } }],
    },
  },
  parameters: { intra_op_thread_count: { string_value: "1" }, a: { string_value: '"é"\n\u0001' } },
  model_warmup: [
    { name: "one", batch_size: 1, inputs: { flag: { data_type: "TYPE_BOOL", dims: [1], zero_data: true } } },
  ],
};

it("prints a model", () => {
  expect(printModelConfig(encoder)).toBe(String.raw`name: "encoder"
backend: "onnxruntime"
default_model_filename: "model.onnx"
max_batch_size: 64
input [
  {
    name: "input_ids"
    data_type: TYPE_INT64
    dims: [ -1 ]
  },
  {
    name: "flag"
    data_type: TYPE_BOOL
    dims: [ 1 ]
    reshape { }
  }
]
output [
  {
    name: "pooled"
    data_type: TYPE_FP32
    dims: [ 384 ]
  }
]
instance_group [
  {
    kind: KIND_CPU
    count: 2
  }
]
dynamic_batching {
  preferred_batch_size: [ 8, 16 ]
  max_queue_delay_microseconds: 2000
}
optimization {
  execution_accelerators {
    gpu_execution_accelerator [
      {
        name: "tensorrt"
        parameters { key: "precision_mode" value: "FP16" }
      }
    ]
  }
}
version_policy { latest { num_versions: 1 } }
parameters { key: "a" value { string_value: "\"é\"\n\001" } }
parameters { key: "intra_op_thread_count" value { string_value: "1" } }
model_warmup [
  {
    name: "one"
    batch_size: 1
    inputs {
      key: "flag"
      value {
        data_type: TYPE_BOOL
        dims: [ 1 ]
        zero_data: true
      }
    }
  }
]
`);
});

it("prints an ensemble", () => {
  const step = {
    model_name: "encoder",
    model_version: -1,
    input_map: { input_ids: "ids" },
    output_map: { pooled: "embedding" },
  };
  expect(
    printModelConfig({ name: "embed", platform: "ensemble", ensemble_scheduling: { step: [step] } }),
  ).toBe(`name: "embed"
platform: "ensemble"
ensemble_scheduling {
  step [
    {
      model_name: "encoder"
      model_version: -1
      input_map { key: "input_ids" value: "ids" }
      output_map { key: "pooled" value: "embedding" }
    }
  ]
}
`);
});

it("keeps empty values that are present, and leaves out empty lists and maps", () => {
  const config: ModelConfig = {
    max_batch_size: 0,
    input: [],
    parameters: {},
    dynamic_batching: {},
    version_policy: { all: {} },
  };
  expect(printModelConfig(config)).toBe(
    "max_batch_size: 0\ndynamic_batching { }\nversion_policy { all { } }\n",
  );
});

it("breaks lines that are too long", () => {
  const [key, value] = ["k".repeat(50), "v".repeat(50)];
  expect(printModelConfig({ metric_tags: { [key]: value } })).toBe(
    `metric_tags {\n  key: "${key}"\n  value: "${value}"\n}\n`,
  );
  const files = [`${key}.so`, `${value}.so`];
  expect(printModelConfig({ model_operations: { op_library_filename: files } })).toBe(
    `model_operations {\n  op_library_filename: [\n    "${key}.so",\n    "${value}.so"\n  ]\n}\n`,
  );
});

it("prints integers without an exponent, including the largest of 64 bits", () => {
  const config: ModelConfig = {
    input: [{ dims: [2 ** 63, -1e18] }],
    dynamic_batching: { max_queue_delay_microseconds: 2 ** 64 },
  };
  expect(printModelConfig(config)).toContain("dims: [ 9223372036854775807, -1000000000000000000 ]");
  expect(printModelConfig(config)).toContain("max_queue_delay_microseconds: 18446744073709551615");
});

it("prints identifiers that Triton does not know as numbers", () => {
  const config = { input: [{ data_type: 99 }] } as unknown as ModelConfig;
  expect(printModelConfig(config)).toContain("data_type: 99");
});
