import type { PublishedRun } from "./run-published.ts";
import {
  all,
  changed,
  identity,
  type Models,
  modelsOf,
  of,
  one,
  parameterModels,
  pythonModels,
  renamed,
  responseSenders,
  some,
  without,
  withoutIdentityBackend,
} from "./published-models.ts";
import { countedStandIns, decoupledStandIns, threeInputs } from "./stand-ins.ts";

const spaces =
  "Node removes spaces at the end of a header's value (HTTP), or the whole header (gRPC); the test sends a value that ends in a space";

const twice =
  "Triton delivers the first of two responses of a model that is not decoupled; `pipeline dev` reports an error";

const bothLengths =
  "Node refuses requests with `Content-Length` and `Transfer-Encoding`, because proxies disagree about where such requests end";

const parameters = (header: string, ...flags: readonly string[]): PublishedRun => ({
  file: "L0_parameters/parameters_test.py",
  models: parameterModels,
  env: { TEST_HEADER: header },
  flags,
  differ: { "": spaces },
});

const simple = some("simple");

const sharedMemory = (type: string): PublishedRun => ({
  file: "L0_shared_memory/shared_memory_test.py",
  models: simple,
  env: { CLIENT_TYPE: type },
  unregisters: true,
  only: ["^SharedMemoryTest"],
});

/** As their authors do it: a batch of 8, and a long wait for it. */
const batching = (models: Models, microseconds: number): Models =>
  changed(
    models,
    (config) =>
      `${config.replace(/^max_batch_size:.*$/m, "max_batch_size: 8")}
dynamic_batching { preferred_batch_size: [8], max_queue_delay_microseconds: ${microseconds} }
`,
  );

const uint8 = (models: Models): Models =>
  changed(models, (config) => config.replaceAll("TYPE_FP32", "TYPE_UINT8"));

const twoSteps = `name: "ensemble_model"
platform: "ensemble"
max_batch_size: 1
input [{ name: "INPUT0" data_type: TYPE_FP32 dims: [ -1 ] }]
output [{ name: "OUTPUT0" data_type: TYPE_FP32 dims: [ -1 ] }]
ensemble_scheduling {
  step { model_name: "dynamic_batch" model_version: -1 input_map { key: "INPUT0" value: "INPUT0" } output_map { key: "OUTPUT0" value: "out" } }
  step { model_name: "dynamic_batch" model_version: -1 input_map { key: "INPUT0" value: "out" } output_map { key: "OUTPUT0" value: "OUTPUT0" } }
}
`;

/** Their authors start a server for each of these tests, because the tests read its statistics. */
const optionalInputs = [
  "all_inputs",
  "optional_same_input",
  "optional_mix_inputs",
  "optional_mix_inputs_2",
  "ensemble_all_inputs",
  "ensemble_optional_same_input",
  "ensemble_optional_mix_inputs",
  "ensemble_optional_mix_inputs_2",
  "ensemble_optional_pipeline",
  "ensemble_optional_connecting_tensor",
].map(
  (name): PublishedRun => ({
    file: "L0_optional_input/optional_input_test.py",
    models: withoutIdentityBackend(modelsOf("L0_optional_input/models")),
    only: [`test_${name}$`],
  }),
);

/** The queue of the tests' model, as the authors' `test.sh` sets it for each test. */
const queues: Readonly<Record<string, string>> = {
  max_queue_size: "default_queue_policy { max_queue_size: 8 }",
  policy_delay: `max_queue_delay_microseconds: 10000000
  default_queue_policy { timeout_action: DELAY default_timeout_microseconds: 100000 }`,
  policy_reject: `max_queue_delay_microseconds: 10000000
  default_queue_policy { default_timeout_microseconds: 100000 }`,
  timeout_override: `max_queue_delay_microseconds: 10000000
  default_queue_policy { allow_timeout_override: true default_timeout_microseconds: 1000000 }`,
  priority_levels: "max_queue_delay_microseconds: 10000000 priority_levels: 2 default_priority_level: 2",
  max_priority_levels: `max_queue_delay_microseconds: 10000000
  priority_levels: 18446744073709551615 default_priority_level: 4294967296`,
  priority_with_policy: `max_queue_delay_microseconds: 10000000 priority_levels: 2 default_priority_level: 2
  default_queue_policy {
    timeout_action: DELAY allow_timeout_override: true default_timeout_microseconds: 11000000
  }
  priority_queue_policy {
    key: 2
    value { timeout_action: REJECT allow_timeout_override: true default_timeout_microseconds: 11000000 }
  }`,
};

const queuePolicies = Object.entries(queues).map(
  ([name, queue]): PublishedRun => ({
    file: "L0_model_queue/model_queue_test.py",
    models: all(
      identity("custom_zero_1_float32", {
        batch: 32,
        ...(name === "max_queue_size" ? { delay: 5000 } : {}),
        more: `dynamic_batching {
  preferred_batch_size: [ 4, 8${name === "priority_with_policy" ? ", 32" : ""} ]
  ${queue}
}`,
      }),
      withoutIdentityBackend(one("L0_model_queue/ensemble_zero_1_float32")),
    ),
    only: [`test_${name}$`],
  }),
);

const waits = (batching: string, more = ""): string =>
  `${batching} { max_queue_delay_microseconds: 100000 ${more} }`;

const delayed = (name: string, more: string): Models =>
  changed(
    withoutIdentityBackend(renamed(one("L0_metrics/identity_delay"), name)),
    (config) => `${config}\n${more}\n`,
  );

/** Triton's own tests that start no server themselves and need no GPU. */
export const publishedRuns: readonly PublishedRun[] = [
  { file: "L0_http/python_http_aio_test.py", models: of(() => countedStandIns(7)) },
  {
    file: "L0_grpc/python_grpc_aio_test.py",
    models: of(() => countedStandIns(8)),
    differ: { register_cuda: "CUDA shared memory is not supported, and the message says so" },
  },
  {
    file: "L0_http/http_restricted_api_test.py",
    models: simple,
    flags: [
      "--http-restricted-api=model-repository:admin-key=admin-value",
      "--http-restricted-api=inference,metadata:infer-key=infer-value",
    ],
  },
  {
    file: "L0_grpc/python_unit_test.py",
    models: simple,
    flags: [
      "--grpc-restricted-protocol=model-repository:admin-key=admin-value",
      "--grpc-restricted-protocol=inference,health:infer-key=infer-value",
    ],
  },
  { file: "L0_http/generate_endpoint_test.py", models: modelsOf("L0_http/generate_models") },
  parameters("test_params"),
  parameters(
    "test_headers",
    "--grpc-header-forward-pattern=my_header.*",
    "--http-header-forward-pattern=my_header.*",
  ),
  parameters(
    "test_header_forward_pattern_case_insensitive",
    "--grpc-header-forward-pattern=MY_HEADER.*",
    "--http-header-forward-pattern=MY_HEADER.*",
  ),
  { file: "L0_nan_inf/nan_inf_test.py", models: modelsOf("L0_nan_inf/models") },
  {
    file: "L0_input_validation/input_validation_test.py",
    models: modelsOf("L0_input_validation/models"),
    only: ["^InputValTest"],
  },
  { file: "L0_logging/logging_endpoint_test.py", models: simple },
  {
    file: "L0_trace/trace_endpoint_test.py",
    models: simple,
    flags: [
      "--trace-config=triton,file=global_unittest.log",
      "--trace-config=level=TIMESTAMPS",
      "--trace-config=rate=1",
    ],
  },
  sharedMemory("http"),
  sharedMemory("grpc"),
  {
    file: "L0_backend_python/response_sender/response_sender_test.py",
    models: responseSenders,
    differ: { two_response_pre_return: twice, pre_and_on_return: twice },
  },
  {
    file: "L0_backend_python/async_execute/concurrency_test.py",
    models: pythonModels("async_execute_decouple", "async_execute_decouple_bls"),
  },
  {
    file: "L0_backend_python/decoupled/decoupled_test.py",
    models: all(
      without(modelsOf("L0_backend_python/decoupled/models"), "decoupled_bls", "decoupled_bls_stream"),
      pythonModels("identity_fp32", "execute_cancel"),
    ),
    only: ["execute_error", "return_response_error", "send_after_close", "raise_exception"],
  },
  {
    file: "L0_backend_python/lifecycle/lifecycle_test.py",
    models: all(
      pythonModels("error_code", "execute_cancel", "execute_return_error"),
      batching(renamed(pythonModels("execute_error"), "execute_error"), 12_000_000),
      batching(renamed(pythonModels("execute_grpc_error"), "execute_grpc_error"), 1_200_000),
      changed(renamed(pythonModels("wrong_model"), "wrong_model"), (config) =>
        config.replaceAll("TYPE_FP32", "TYPE_UINT32"),
      ),
    ),
  },
  {
    file: "L0_backend_python/request_rescheduling/grpc_endpoint_test.py",
    models: pythonModels("iterative_sequence", "request_rescheduling_addsub"),
    explicit: "explicit",
  },
  {
    file: "L0_backend_python/model_control/model_control_test.py",
    models: all(pythonModels("identity_fp32"), withoutIdentityBackend(pythonModels("simple_identity_fp32"))),
    explicit: "none loaded",
  },
  {
    file: "L0_backend_python/ensemble/ensemble_test.py",
    models: all(
      withoutIdentityBackend(pythonModels("ensemble")),
      renamed(pythonModels("add_sub"), "add_sub_1"),
      renamed(pythonModels("add_sub"), "add_sub_2"),
    ),
    only: ["test_ensemble$"],
  },
  { file: "L0_backend_python/bls/bls_parameters_test.py", models: pythonModels("bls_parameters") },
  {
    file: "L0_backend_python/python_test.py",
    models: all(
      pythonModels("identity_fp32", "optional", "non_contiguous", "string", "string_fixed"),
      batching(uint8(renamed(pythonModels("identity_fp32"), "identity_uint8")), 12_000_000),
      changed(uint8(renamed(pythonModels("identity_fp32"), "identity_uint8_nobatch")), (config) =>
        config.replace(/^max_batch_size:.*$/m, ""),
      ),
      changed(renamed(pythonModels("identity_fp32"), "identity_bool"), (config) =>
        config.replaceAll("TYPE_FP32", "TYPE_BOOL"),
      ),
    ),
    only: ["async_infer", "bool", "unicode", "optional_input", "test_string", "non_contiguous", "growth"],
  },
  {
    file: "L0_client_timeout/client_infer_timeout_test.py",
    models: withoutIdentityBackend(modelsOf("L0_client_timeout/models")),
  },
  {
    file: "L0_request_cancellation/grpc_cancellation_test.py",
    models: identity("custom_identity_int32", { batch: 1024, dtype: "INT32", delay: 10_000 }),
    only: ["(?<!start)$"],
  },
  {
    file: "L0_request_cancellation/scheduler_test.py",
    models: all(
      identity("dynamic_batch", {
        batch: 2,
        delay: 6000,
        more: "dynamic_batching { max_queue_delay_microseconds: 600000 }",
      }),
      identity("sequence_direct", {
        batch: 1,
        delay: 6000,
        more: "sequence_batching { direct { } max_sequence_idle_microseconds: 6000000 }",
      }),
      identity("sequence_oldest", {
        batch: 1,
        delay: 6000,
        more: "sequence_batching { oldest { max_candidate_sequences: 1 } max_sequence_idle_microseconds: 6000000 }",
      }),
      of(() => ({ "ensemble_model/config.pbtxt": twoSteps, "ensemble_model/1/": "" })),
    ),
  },
  ...optionalInputs,
  {
    file: "L0_decoupled/decoupled_test.py",
    models: all(withoutIdentityBackend(modelsOf("L0_decoupled/models")), of(decoupledStandIns)),
    only: ["one_to_none", "one_to_one", "no_streaming", "wrong_shape"],
  },
  ...queuePolicies,
  {
    file: "L0_http/http_test.py",
    models: all(
      identity("onnx_zero_1_float32", { batch: 8 }),
      identity("onnx_zero_1_object", { batch: 8, dtype: "STRING" }),
      identity("onnx_zero_1_object_1_element", { batch: 8, dtype: "STRING", dims: "1" }),
      identity("onnx_zero_1_float16", { batch: 8, dtype: "FP16", dims: "-1, -1" }),
      of(threeInputs),
      identity("onnx_zero_1_float32_queue", {
        batch: 8,
        more: `dynamic_batching {
  max_queue_delay_microseconds: 1000000 preferred_batch_size: [ 8 ] default_queue_policy { max_queue_size: 1 }
}`,
      }),
    ),
    differ: { chunked: bothLengths },
  },
  {
    file: "L0_metrics/metrics_queue_size_test.py",
    models: all(
      delayed("default", ""),
      delayed("dynamic", waits("dynamic_batching")),
      delayed("max_queue_size", waits("dynamic_batching", "default_queue_policy { max_queue_size: 4 }")),
      delayed("sequence_direct", `sequence_batching { ${waits("direct", "minimum_slot_utilization: 1.0")} }`),
      delayed("sequence_oldest", `sequence_batching { ${waits("oldest", "max_candidate_sequences: 4")} }`),
      withoutIdentityBackend(renamed(one("L0_metrics/ensemble_delay"), "ensemble")),
      delayed("default_composing", ""),
      delayed("dynamic_composing", waits("dynamic_batching")),
    ),
  },
];
