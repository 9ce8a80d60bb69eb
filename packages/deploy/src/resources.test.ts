import { expect, test } from "vitest";
import { valuesFile } from "./chart/chart-values.ts";
import { deploySettings } from "./deploy-settings.ts";
import type { DeployedBuild } from "./deployed-build.ts";

test.each([
  ["image", "tmp: 1Gi\n"],
  ["s3://models/embed", "tmp: 4Gi # with a copy of the models\n"],
])("with --models %s, /tmp has room for the whole repository if Triton copies it there", (models, line) => {
  const megabyte = 2 ** 20;
  const build = {
    hash: "",
    profiles: [],
    // Most of it are samples for warmup.
    models: [{ name: "embed", config: {}, profiles: {}, bytes: megabyte, storedBytes: 2500 * megabyte }],
    manifest: { models: [{ name: "embed", kind: "onnx" }], ensembles: [{ name: "embed" }] },
  } as unknown as DeployedBuild;
  expect(valuesFile(build, deploySettings({ models }))).toContain(line);
});
