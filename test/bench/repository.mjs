import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { buildModel } from "@tritype/onnx";
import { pipelineBin } from "./projects.mjs";
import { runNode } from "./child.mjs";

/** Sizes of one row of the identity models: 64 bytes and 600 kB. */
export const identities = { identity_small: 16, identity_600kb: 150_000 };

/** Builds the project and adds the identity models; returns the path of its repository. */
export const buildRepository = (project) => {
  runNode([pipelineBin, "build"], { cwd: project.root });
  const repository = join(project.root, "build", "model_repository");
  for (const [name, size] of Object.entries(identities)) {
    mkdirSync(join(repository, name, "1"), { recursive: true });
    writeFileSync(join(repository, name, "1", "model.onnx"), identityModel(name, size));
    writeFileSync(join(repository, name, "config.pbtxt"), identityConfig(name, size));
  }
  return repository;
};

/** An ONNX model `y = x` of FP32[batch, size], as bytes. */
export const identityModel = (name, size) => {
  const type = { dtype: "FP32", dims: ["batch", size] };
  return buildModel({ name, inputs: [{ name: "x", type }], outputs: [{ name: "y", type }] }, (builder) => ({
    y: builder.node("Identity", ["x"])[0],
  }));
};

/** Its config.pbtxt. */
export const identityConfig = (name, size) => `name: "${name}"
backend: "onnxruntime"
max_batch_size: 8
input [ { name: "x" data_type: TYPE_FP32 dims: [ ${size} ] } ]
output [ { name: "y" data_type: TYPE_FP32 dims: [ ${size} ] } ]
instance_group [ { kind: KIND_CPU count: 1 } ]
`;
