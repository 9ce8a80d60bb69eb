import { buildModel } from "@tritype/onnx";
import { makeProject } from "./projects.mjs";

const width = 8;
const type = { dtype: "FP32", dims: ["batch", width] };

/** FP32[batch, 8] → FP32[batch, 8], the identity; every generated pipeline consists of such steps. */
const memberModel = () =>
  buildModel(
    { name: "member", inputs: [{ name: "x", type }], outputs: [{ name: "y", type }] },
    (builder) => ({ y: builder.node("Identity", ["x"])[0] }),
  );

const each = (steps, line) => Array.from({ length: steps }, (_, i) => line(i)).join("\n");
const members = (steps) => `const type = fp32("batch", ${width});
const members = Array.from({ length: ${steps} }, (_, i) =>
  onnx({ name: \`member_\${i}\`, file: "models/member.onnx", inputs: { x: type }, outputs: { y: type } }),
);
`;
const ensemble = (name, body) => `export const ${name} = defineEnsemble({
  name: "${name}",
  maxBatchSize: 8,
  inputs: { x: fp32("batch", ${width}) },
  run({ x }) {
${body}
  },
});
`;

/** Shapes of pipelines: the definition of one step, and the text of a pipeline with that many steps. */
export const shapes = {
  chain: {
    step: "member, then mul and add, one after the other",
    source: (steps) =>
      members(steps) +
      ensemble(
        "chain",
        `    let at = x;
${each(steps, (i) => `    at = members[${i}]({ x: at }).y.mul(${i + 2}).add(x);`)}
    return { out: at };`,
      ),
  },
  wide: {
    step: "member, then mul and add, in parallel; one sum of all",
    source: (steps) =>
      members(steps) +
      ensemble(
        "wide",
        `    const all = [];
${each(steps, (i) => `    all.push(members[${i}]({ x }).y.mul(${i + 2}).add(x));`)}
    return { out: all.reduce((sum, one) => sum.add(one)) };`,
      ),
  },
  math: {
    step: "one tensor operator, one after the other",
    source: (steps) =>
      ensemble(
        "math",
        `    let at = x;
${each(steps, (i) => `    at = at.add(${i + 2});`)}
    return { out: at };`,
      ),
  },
  ensembles: {
    step: "a separate ensemble: member, then mul and add",
    source: (steps) =>
      members(steps) +
      each(steps, (i) =>
        ensemble(`ensemble_${i}`, `    return { out: members[${i}]({ x }).y.mul(${i + 2}).add(x) };`),
      ),
  },
};

/** A project of this shape. */
export const makeScaleProject = (shape, steps) =>
  makeProject({
    "pipeline.config.ts": 'import { defineConfig } from "tritype";\nexport default defineConfig({});\n',
    "pipeline.ts": `import { defineEnsemble, fp32, onnx } from "tritype";\n\n${shapes[shape].source(steps)}`,
    "models/member.onnx": memberModel(),
  });
