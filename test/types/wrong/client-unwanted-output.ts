// Reads an output that was not requested
import { bytes, defineEnsemble } from "tritype";
import { createClient } from "tritype/client";
import { encoder, tokenize } from "../steps.ts";

const embed = defineEnsemble({
  name: "embed",
  inputs: { text: bytes("batch", 1) },
  run: ({ text }) => ({ embedding: encoder(tokenize({ text })).hidden.mean("seq"), words: text }),
});
const client = createClient({ url: "http://127.0.0.1:8000", ensemble: embed });

export const read = async () => {
  const { words } = await client.infer({ text: ["a"] }, { outputs: ["embedding"] });
  return words;
};
