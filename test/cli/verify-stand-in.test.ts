import { expect, test } from "vitest";
import { pythonWithNumpy } from "../environment/python.ts";
import { doubleModel, torchscript } from "../fixtures/models.ts";
import { makeProject } from "../fixtures/project.ts";
import { pipeline } from "./run-pipeline.ts";

const source = `import { defineEnsemble, fp32, torchscript } from "tritype";

const double = torchscript({
  name: "double",
  file: "models/double.pt",
  standIn: "models/double.onnx",
  inputs: { x: fp32("batch", 4) },
  outputs: { y: fp32("batch", 4) },
  profiles: { cpu: { useStandIn: true } },
});

export const twice = defineEnsemble({
  name: "twice",
  maxBatchSize: 8,
  inputs: { x: fp32("batch", 4) },
  run: ({ x }) => ({ y: double({ x: double({ x }).y }).y }),
});
`;

test("stand-ins run locally, and verify compares a profile with stand-ins with a real Triton", async () => {
  const project = makeProject({
    "pipeline.ts": source,
    "pipeline.config.ts":
      'import { defineConfig } from "tritype";\nexport default defineConfig({ profiles: { cpu: {} } });\n',
    "models/double.pt": torchscript("double"),
    "models/double.onnx": doubleModel(),
  });
  try {
    const ran = await pipeline(project, ["run", "twice", "--json", "-i", "x=[[1,2,3,4]]"]);
    expect(ran).toMatchObject({ code: 0 });
    expect(JSON.parse(ran.out)).toMatchObject({ outputs: [{ data: [4, 8, 12, 16] }] });
    expect(ran.err).toContain("model 'double' runs its stand-in stand-in.onnx: no backend 'pytorch' here");
    const env = { TRITYPE_PYTHON: await pythonWithNumpy() };
    const verified = await pipeline(project, ["verify", "--profile", "cpu"], { env });
    expect(verified).toMatchObject({ code: 0 });
    expect(verified.out).toMatch(/triton http .* ok/);
    expect(verified.out).toMatch(/triton grpc .* ok/);
  } finally {
    project.remove();
  }
}, 90_000);
