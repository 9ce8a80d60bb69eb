// @ts-nocheck
import { constant, defineEnsemble, fp32 } from "tritype";

export const embed = defineEnsemble({
  name: "embed",
  inputs: { x: fp32(4) },
  run({ x }) {
    return { y: x.add(1), c: constant(fp32, [1, 2], 2) };
  },
});
