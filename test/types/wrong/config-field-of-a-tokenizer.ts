// Misspelt field of a tokenizer's model config
import { tokenizer } from "tritype";

export const wrong = tokenizer({
  name: "tokenize",
  from: "assets/tokenizer",
  maxLength: 512,
  dynamicBatching: { maxQueueDelay: "2ms", preferedBatchSize: [8] },
});
