// @ts-nocheck
import { defineEnsemble, fp32 } from "tritype";

export const embed = defineEnsemble({
  name: "embed",
  inputs: { x: fp32() },
  run({ x }) {
    return { y: x.add(1) };
  },
});
