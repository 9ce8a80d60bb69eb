import { type Diagnose, defineDiagnostics } from "@tritype/core";

/** Diagnostics about a tokenizer and the model that reads its output. */
export const tokenDiagnostics = {
  "tokenizer/vocabulary-over-model": {
    severity: "warning",
    message: "{file} returns ids up to {id} (`{token}`), but `{model}` knows {rows} tokens ({modelFile})",
    help: "use the tokenizer that the model was trained with, or resize the model's embeddings and export it again",
  },
  "tokenizer/pad-id-over-model": {
    message: "{file} pads with `{token}`, id {id}, but `{model}` knows {rows} tokens ({modelFile})",
    help: 'set "pad_token" in tokenizer_config.json, next to the file, to a token that the model knows',
  },
  "tokenizer/max-length-over-positions": {
    severity: "warning",
    message:
      "`maxLength` of tokenizer `{maker}` is {maxLength}, but `{model}` has {positions} positions ({modelFile})",
    help: "set `maxLength` to at most {positions}",
  },
  "tokenizer/wide-buckets": {
    severity: "warning",
    message:
      "tokenizer `{step}` pads the samples of `{ensemble}` to {times} times the tokens that multiples of 16 need, for example {tokens} tokens to {bucket}",
    help: "add a bucket of {better}, or pad to multiples: `padding: { multipleOf: 16 }`; if real texts are longer, use them as samples",
  },
} as const;

export const diagnoseTokens: Diagnose<typeof tokenDiagnostics> = defineDiagnostics(tokenDiagnostics);
