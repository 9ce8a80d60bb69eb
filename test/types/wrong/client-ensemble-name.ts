// A typed client has the name of another ensemble
import { bytes, defineEnsemble } from "tritype";
import { createClient } from "tritype/client";

const embed = defineEnsemble({
  name: "embed",
  inputs: { text: bytes("batch", 1) },
  run: ({ text }) => ({ words: text }),
});

export const client = createClient<typeof embed>({ url: "http://127.0.0.1:8000", ensemble: "embeds" });
