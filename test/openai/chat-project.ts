import { byteTokenizer } from "../triton/byte-tokenizer.ts";
import { exportedGpt2 } from "../triton/chat-guide.ts";

/** Its tokenizer puts `<s>` in front of every text; the template does so too. */
const tokenizerJson = JSON.stringify({
  ...(JSON.parse(byteTokenizer()) as object),
  post_processor: {
    type: "TemplateProcessing",
    single: [{ SpecialToken: { id: "<s>", type_id: 0 } }, { Sequence: { id: "A", type_id: 0 } }],
    pair: [{ Sequence: { id: "A", type_id: 0 } }, { Sequence: { id: "B", type_id: 1 } }],
    special_tokens: { "<s>": { id: "<s>", ids: [0], tokens: ["<s>"] } },
  },
});

/** Writes each role as its first letter, and marks where the assistant begins. */
export const chatTemplate = `{{ bos_token }}{% for message in messages %}{% if message.role == 'tool' %}{{ raise_exception('no tools here') }}{% endif %}{{ message.role[0] }}. {{ message.content }}, {% endfor %}{% if add_generation_prompt %}ab.{% endif %}`;

const pipeline = `import { bytes, defineEnsemble, detokenizer, fp32, generate, int64, optional, tokenizer } from "tritype";

const settings = {
  max_new_tokens: optional(int64("batch", 1)),
  seed: optional(int64("batch", 1)),
  temperature: optional(fp32("batch", 1)),
  top_k: optional(int64("batch", 1)),
  top_p: optional(fp32("batch", 1)),
};
const search = { kind: "sample", temperature: 0.8 } as const;
const perRequest = ["max_new_tokens", "seed", "temperature", "top_k", "top_p"] as const;

const tokenize = tokenizer({ name: "tokenize", from: "models/chat", maxLength: 24 });
const speak = generate({
  name: "speak",
  from: "models/chat",
  search,
  maxNewTokens: 24,
  perRequest: [...perRequest, "stop"],
  stream: true,
  text: { from: "models/chat" },
});
export const chat = defineEnsemble({
  name: "chat",
  maxBatchSize: 1,
  inputs: { prompt: bytes("batch", 1), ...settings, stop: optional(bytes("batch", "stops")) },
  run: ({ prompt, ...given }) => {
    const { sequences, text, finish_reason } = speak({ ...tokenize({ text: prompt }), ...given });
    return { answer: text, tokens: sequences, reason: finish_reason };
  },
});

const write = generate({ name: "write", from: "models/chat", search, maxNewTokens: 24, perRequest });
const spell = detokenizer({ name: "spell", from: "models/chat" });
export const whole = defineEnsemble({
  name: "whole",
  maxBatchSize: 4,
  inputs: { question: bytes("batch", 1), ...settings },
  run: ({ question, ...given }) => {
    const { sequences } = write({ ...tokenize({ text: question }), ...given });
    return { text: spell({ ids: sequences }).text, made: sequences };
  },
});

const tokenizePlain = tokenizer({ name: "tokenize_plain", from: "models/plain", maxLength: 24 });
const story = generate({
  name: "tell",
  from: "models/plain",
  search: { kind: "greedy" },
  maxNewTokens: 12,
  stream: true,
  text: { from: "models/plain" },
});
export const plain = defineEnsemble({
  name: "plain",
  maxBatchSize: 1,
  inputs: { prompt: bytes("batch", 1) },
  run: ({ prompt }) => ({ text: story(tokenizePlain({ text: prompt })).text }),
});

/** It has a text input, but a request needs more than that. */
export const needy = defineEnsemble({
  name: "needy",
  maxBatchSize: 1,
  inputs: { prompt: bytes("batch", 1), seed: int64("batch", 1) },
  run: ({ prompt, seed }) => ({ text: speak({ ...tokenize({ text: prompt }), seed }).text }),
});
`;

/**
 * A project with a streaming chat ensemble, the same ensemble without streaming, a greedy one without a chat template,
 * and one that needs more inputs than a prompt.
 */
export const chatProject: Readonly<Record<string, string | Uint8Array>> = {
  "pipeline.ts": pipeline,
  ...exportedGpt2("models/chat"),
  "models/chat/tokenizer.json": tokenizerJson,
  "models/chat/tokenizer_config.json": JSON.stringify({
    bos_token: "<s>",
    eos_token: { content: "</s>" },
    chat_template: chatTemplate,
  }),
  ...exportedGpt2("models/plain"),
  "models/plain/tokenizer.json": byteTokenizer(),
};
