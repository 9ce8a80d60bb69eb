// @ts-nocheck
import { bytes, defineEnsemble } from "tritype";
import { makeStep } from "tritype/plugin";

const shout = makeStep({
  kind: "shout",
  name: "shout",
  inputs: { text: bytes("batch", 1) },
  outputs: { loud: bytes("batch", 1) },
  options: {},
  calledAs: makeStep,
});
export const embed = defineEnsemble({
  name: "embed",
  maxBatchSize: 8,
  inputs: { text: bytes("batch", 1) },
  run({ text }) {
    return shout({ text });
  },
});
