import { messagesOf, type ServerMessage } from "./server-message.ts";

const misshapen = (what: string): string =>
  `step \`{model}\` returned \`{tensor}\` ${what} {got}, but its configuration says {wanted}`;
const rebuild = "undo any manual changes to config.pbtxt, and build again";

/** Messages from tokenizer, detokenizer, collate and generate steps, both from Python and from native twins. */
export const stepMessages: readonly ServerMessage[] = messagesOf([
  [
    "{model:name}: row {row:n} of {tensor} is not valid UTF-8",
    "client",
    "row {row} of `{tensor}` contains bytes that are not text",
    "send text in UTF-8; step `{model}` does not read other encodings",
  ],
  [
    "{model:name}: row {row:n} has {count:n} tokens, but the maximum is {limit:n}",
    "client",
    "the text of row {row} has {count} tokens, but step `{model}` takes at most {limit}",
    "send a shorter text, or raise `maxLength` of the tokenizer if the model takes more, or set its `truncation`",
  ],
  [
    "{model:name}: row {row:n} has {count:n} tokens, but the maximum is {limit:n}: {beside:n} of them are outside {tensor}, the only text that is truncated",
    "client",
    "row {row} has {count} tokens, but step `{model}` takes at most {limit}: even without `{tensor}`, the only text that is truncated, there are {beside}",
    "send a shorter text for the other input, or raise `maxLength` of the tokenizer if the model takes more",
  ],
  [
    "{model:name}: row {row:n} of {tensor} is {got}; the languages are {list:line}",
    "client",
    "row {row} of `{tensor}` names the language {got}, which the tokenizer does not have",
    "send one of its languages: {list}",
  ],
  [
    "{model:name}: output {tensor} has shape {got:shape}, but config.pbtxt declares {wanted:shape}",
    "model",
    misshapen("with the shape"),
    rebuild,
  ],
  [
    "{model:name}: output {tensor} has rows of shape {got:shape}, but config.pbtxt declares {wanted:shape}",
    "model",
    misshapen("with rows of the shape"),
    rebuild,
  ],
  [
    "{model:name}: row {row:n} has id {token:n}, which is not one of the {size:n} tokens of tokenizer.json",
    "client",
    "row {row} has the id {token}, but the tokenizer of step `{model}` has {size} tokens",
    "send ids from this tokenizer: the model and tokenizer.json must be from the same export",
  ],
  [
    "{model:name}: input {tensor} is missing",
    "client",
    "the request has no input `{tensor}`, which step `{model}` requires; Triton only counts inputs, so an optional one replaced it",
    "send `{tensor}`",
  ],
  [
    "{model:name}: input_ids is {got:shape}, attention_mask is {other:shape}",
    "client",
    "`input_ids` is {got}, and `attention_mask` is {other}",
    "send both with the same shape, as a tokenizer returns them",
  ],
  [
    "{model:name}: row {row:n} has no tokens",
    "client",
    "row {row} has no token to continue from: every element of its `attention_mask` is 0",
    "send a text with at least one token, or leave the row out",
  ],
  [
    "{model:name}: row {row:n} of {tensor} has the id {token:n}, but the model's ids are 0 to {limit:n}",
    "client",
    "row {row} of `{tensor}` has the id {token}; the model's ids are 0 to {limit}",
    "send ids from the tokenizer of this model",
  ],
  [
    "{model:name}: row {row:n} of {tensor} must be {wanted:line}",
    "client",
    "row {row} of `{tensor}` is out of range: it must be {wanted}",
    "send {wanted}, or omit the input to use the step's own setting",
  ],
  [
    "{model:name}: the request was cancelled",
    "client",
    "the client cancelled its request while step `{model}` was generating",
    "if this was intended, nothing is wrong; otherwise raise the client's timeout",
  ],
  [
    "{model:name}: the request has {count:n} rows; a streaming step takes one, so send each on its own",
    "client",
    "the request has {count} rows, but step `{model}` streams: it takes one row",
    "send one request for each row; rows of different requests still run together",
  ],
  [
    "{model:name}: row 0 of stop contains an empty string, and every text begins with one",
    "client",
    "one of the strings in `stop` is empty, so every answer would end immediately",
    "leave empty strings out of `stop`",
  ],
  [
    "{model:name}: the model generated id {token:n}, which is not one of the {size:n} tokens of tokenizer.json",
    "model-file",
    "step `{model}` generated the id {token}, but its tokenizer has {size} tokens",
    "the model and tokenizer.json must be from the same export",
  ],
  [
    "no token can follow: the rules forbid all of them, or the model's scores are not numbers",
    "model-file",
    "the model gave no score to any token that is allowed to follow",
    "check the step's rules (forbidden and forced tokens), and check the model's logits for NaN",
  ],
]);
