import { type Diagnose, defineDiagnostics } from "@tritype/core";

export const tokenizerDiagnostics = {
  "tokenizer/invalid-option": {
    message: "`{option}` of {kind} `{step}` {reason}, got {got}",
    help: "change `{option}`",
  },
  "tokenizer/padding-length": {
    message: "`padding` of tokenizer `{step}`: {reason}",
    help: "{advice}",
  },
  "tokenizer/file-not-found": {
    message: "{kind} `{step}` needs {path}, which does not exist",
    help: "set `from` to the folder with tokenizer.json, as a path from the project's root",
  },
  "tokenizer/not-json": {
    message: "{path} is not JSON",
    help: "download or export tokenizer.json again",
  },
  "tokenizer/unknown-format": {
    message: "{path} is not a Hugging Face tokenizers file: {reason}",
    help: "save it with `save_pretrained` of a fast tokenizer, or with `Tokenizer.save`",
  },
  "tokenizer/broken-part": {
    message: "{path} cannot be used: `{part}` {problem}",
    help: "{advice}",
  },
  "tokenizer/no-pad-token": {
    message: "{path} has no pad token, so rows with different lengths cannot be combined into one tensor",
    help: 'set "pad_token" in {folder}/tokenizer_config.json to a token from the vocabulary, often the end-of-text token',
  },
  "tokenizer/max-length-too-small": {
    message:
      "`maxLength` of tokenizer `{step}` is {maxLength}, but its special tokens alone take up {special}",
    help: "set `maxLength` to at least {least}",
  },
  "tokenizer/max-length-over-model": {
    severity: "warning",
    message:
      "`maxLength` of tokenizer `{step}` is {maxLength}, but tokenizer_config.json says that the model accepts {limit}",
    help: "set `maxLength` to at most {limit}",
  },
  "tokenizer/pad-id-differs": {
    severity: "warning",
    message:
      "{path} pads with `{token}`, id {id}, but {config} says that the model was trained with id {other}",
    help: 'set "pad_token" in tokenizer_config.json, next to it, to the model\'s own token',
  },
  "tokenizer/no-unknown-token": {
    severity: "warning",
    message: "{path} has no unknown token for text outside its {model} vocabulary: such texts will fail",
    help: "add the unknown token to the vocabulary and name it in `model`",
  },
  "tokenizer/no-languages": {
    message: "`languages` of tokenizer `{step}` finds no languages in {path}: {problem}",
    help: 'set `tokens` to a pattern such as "__*__", where the star stands for the language\'s name in requests, or to a table from that name to the token',
  },
  "tokenizer/random": {
    message: "{path} has `model.dropout` {dropout}: the same text would get different tokens each time",
    help: 'set "dropout" to null: it is only meant for training',
  },
} as const;

export const diagnose: Diagnose<typeof tokenizerDiagnostics> = defineDiagnostics(tokenizerDiagnostics);
