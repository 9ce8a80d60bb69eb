import { bytes, defineEnsemble } from "tritype";
import { shout } from "./shout-kind.ts";

const loud = shout({ name: "loud", ending: "!" });

export const announce = defineEnsemble({
  name: "announce",
  maxBatchSize: 4,
  inputs: { text: bytes("batch", 1) },
  run: ({ text }) => ({ announcement: loud({ text }).loud }),
});
