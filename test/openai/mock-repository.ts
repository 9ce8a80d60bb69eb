import { readFileSync } from "node:fs";

const tensor = (name: string, type: string, dims: number, optional = true): string =>
  `{ name: "${name}" data_type: ${type} dims: [ ${dims} ]${optional ? " optional: true" : ""} }`;
const inputs = [
  tensor("text_input", "TYPE_STRING", 1, false),
  tensor("stream", "TYPE_BOOL", 1),
  tensor("max_tokens", "TYPE_INT32", 1),
  tensor("temperature", "TYPE_FP32", 1),
  tensor("top_p", "TYPE_FP32", 1),
  tensor("seed", "TYPE_UINT64", 1),
  tensor("stop_words", "TYPE_STRING", -1),
  tensor("return_num_input_tokens", "TYPE_BOOL", 1),
];
const outputs = [
  tensor("text_output", "TYPE_STRING", 1, false),
  tensor("num_input_tokens", "TYPE_UINT32", 1, false),
  tensor("num_output_tokens", "TYPE_UINT32", 1, false),
];

/** A repository written by hand: a language model with TensorRT-LLM's tensors. */
export const mockRepository: Readonly<Record<string, string>> = {
  "repository/llm/config.pbtxt": `backend: "python"
max_batch_size: 1
model_transaction_policy { decoupled: true }
instance_group [ { kind: KIND_CPU count: 2 } ]
input [ ${inputs.join(", ")} ]
output [ ${outputs.join(", ")} ]
`,
  "repository/llm/1/model.py": readFileSync(new URL("mock_llm.py", import.meta.url), "utf8"),
  "tokenizer/chat_template.jinja":
    "{% for message in messages %}<{{ message.role }}>{{ message.content }}{% endfor %}",
  "empty/config.json": "{}",
};
