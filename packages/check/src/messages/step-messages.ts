import { messagesOf, type ServerMessage } from "./server-message.ts";

const misshapen = (what: string): string =>
  `step \`{model}\` made \`{tensor}\` ${what} {got}, and its configuration says {wanted}`;
const rebuild = "build again; where config.pbtxt was edited by hand, undo that";

/** Messages of tokenizer, detokenizer, collate and generate steps, from both Python and native twins. */
export const stepMessages: readonly ServerMessage[] = messagesOf([
  [
    "{model:name}: row {row:n} of {tensor} is not valid UTF-8",
    "client",
    "row {row} of `{tensor}` holds bytes that are not text",
    "send text in UTF-8; step `{model}` reads no other encoding",
  ],
  [
    "{model:name}: row {row:n} has {count:n} tokens, the most is {limit:n}",
    "client",
    "the text of row {row} has {count} tokens, and step `{model}` takes at most {limit}",
    "send a shorter text, or raise `maxLength` of the tokenizer or set its `truncation` where the model takes more",
  ],
  [
    "{model:name}: row {row:n} has {count:n} tokens, the most is {limit:n}: {beside:n} of them are beside {tensor}, which alone is cut",
    "client",
    "row {row} has {count} tokens, and step `{model}` takes at most {limit}: without `{tensor}`, the only text that is cut, {beside} are left",
    "send a shorter text for the other input, or raise `maxLength` of the tokenizer where the model takes more",
  ],
  [
    "{model:name}: row {row:n} of {tensor} is {got}; the languages are {list:line}",
    "client",
    "row {row} of `{tensor}` names the language {got}, which the tokenizer does not have",
    "send one of its languages: {list}",
  ],
  [
    "{model:name}: output {tensor} has shape {got:shape}, config.pbtxt declares {wanted:shape}",
    "model",
    misshapen("with the shape"),
    rebuild,
  ],
  [
    "{model:name}: output {tensor} has rows of shape {got:shape}, config.pbtxt declares {wanted:shape}",
    "model",
    misshapen("with rows of the shape"),
    rebuild,
  ],
  [
    "{model:name}: row {row:n} has id {token:n}, which is none of the {size:n} tokens of tokenizer.json",
    "client",
    "row {row} holds the id {token}, and the tokenizer of step `{model}` has {size} tokens",
    "send ids that this tokenizer made: model and tokenizer.json have to be of one export",
  ],
  [
    "{model:name}: input_ids is {got:shape}, attention_mask is {other:shape}",
    "client",
    "`input_ids` is {got}, and `attention_mask` is {other}",
    "send both with one shape, as a tokenizer makes them",
  ],
  [
    "{model:name}: row {row:n} has no tokens",
    "client",
    "row {row} has no token to go on from: every element of its `attention_mask` is 0",
    "send a text with at least one token, or leave the row out",
  ],
  [
    "{model:name}: row {row:n} of {tensor} holds {token:n}, the model's ids are 0 to {limit:n}",
    "client",
    "row {row} of `{tensor}` holds the id {token}; the model's ids are 0 to {limit}",
    "send ids that the tokenizer of this model made",
  ],
  [
    "{model:name}: row {row:n} of {tensor} must be {wanted:line}",
    "client",
    "row {row} of `{tensor}` is out of range: it has to be {wanted}",
    "send {wanted}, or leave the input out for the step's own setting",
  ],
  [
    "{model:name}: the request was cancelled",
    "client",
    "the client cancelled its request while step `{model}` generated",
    "nothing is wrong where that was meant; else raise the client's timeout",
  ],
  [
    "no token can follow: the rules forbid all of them, or the model's scores are not numbers",
    "model-file",
    "the model gave no token that may follow",
    "look at the step's rules (words that are forbidden or forced), and at the model's logits for NaN",
  ],
]);
