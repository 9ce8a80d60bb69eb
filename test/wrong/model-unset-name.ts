// @ts-nocheck
import { defineEnsemble, fp32 } from "tritype";

const settings: { readonly language?: string } = {};

export const embed = defineEnsemble({
  name: `embed-${settings.language}`,
  maxBatchSize: 8,
  inputs: { [`x_${settings.language}`]: fp32("batch", 4), size: fp32("batch", `size_${settings.language}`) },
  run: (x) => ({ y: x.size.add(1), z: Object.values(x)[0].add(1) }),
});
