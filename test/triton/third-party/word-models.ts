import { readFileSync } from "node:fs";
import type { Files } from "../../../packages/runtime/src/fixtures/temporary-repository.ts";
import { byteTokenizer } from "../byte-tokenizer.ts";

const tensor = (name: string, type: string, dims = 1, more = ""): string =>
  `{ name: "${name}" data_type: TYPE_${type} dims: [ ${dims} ] ${more} }`;

const optional = (name: string, type: string, dims?: number): string =>
  tensor(name, type, dims, "optional: true");

const inputs = [
  tensor("text_input", "STRING"),
  tensor("stream", "BOOL"),
  tensor("max_tokens", "INT32"),
  tensor("temperature", "FP32"),
  ...["top_p", "frequency_penalty", "presence_penalty"].map((name) => optional(name, "FP32")),
  optional("seed", "UINT64"),
  optional("stop_words", "STRING", -1),
  ...["exclude_input_in_output", "return_num_input_tokens", "return_num_output_tokens"].map((name) =>
    optional(name, "BOOL"),
  ),
];
const outputs = [
  tensor("text_output", "STRING"),
  tensor("num_input_tokens", "UINT32"),
  tensor("num_output_tokens", "UINT32"),
];

/** Stand-ins for the four models of a TensorRT-LLM model, with the names that Triton's tests use. */
export const wordModels = (): Files => {
  const code = readFileSync(new URL("frontend/word_model.py", import.meta.url), "utf8");
  const files: Record<string, string> = {};
  for (const name of ["tensorrt_llm_bls", "preprocessing", "tensorrt_llm", "postprocessing"]) {
    files[`${name}/config.pbtxt`] = `name: "${name}"
backend: "python"
max_batch_size: 1
model_transaction_policy { decoupled: true }
instance_group { kind: KIND_CPU count: 1 }
input [ ${inputs.join(", ")} ]
output [ ${outputs.join(", ")} ]
`;
    files[`${name}/1/model.py`] = code;
  }
  return files;
};

/** A tokenizer that Hugging Face's `transformers` loads, with a chat template. */
export const chatTokenizer = (): Files => ({
  "tokenizer.json": byteTokenizer(),
  "tokenizer_config.json": JSON.stringify({
    tokenizer_class: "PreTrainedTokenizerFast",
    eos_token: "</s>",
    chat_template:
      "{% for message in messages %}<{{ message.role }}>{{ message.content }}{% endfor %}{% if add_generation_prompt %}<assistant>{% endif %}",
  }),
});
