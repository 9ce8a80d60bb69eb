import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type NamedTensors, PipelineError, type TensorData } from "@tritype/core";
import type { ModelConfig } from "@tritype/triton";
import { onTestFinished } from "vitest";
import type { LoadedModel, ModelRequest, ModelResult } from "../../packages/runtime/src/backend.ts";
import { notExplicit } from "../../packages/runtime/src/requests/not-explicit.ts";
import type { ModelHost } from "../../packages/runtime/src/python/model-host.ts";
import {
  createPythonBackend,
  type PythonBackendOptions,
} from "../../packages/runtime/src/python/python-backend.ts";
import { createCustomMetrics } from "../../packages/runtime/src/statistics/custom-metrics.ts";
import { pythonWithNumpy } from "./python.ts";

export interface PythonModelUnderTest {
  readonly model: LoadedModel;
  /** The lines that the backend printed for the user. */
  readonly notices: readonly string[];
  /** The model's folder. */
  readonly folder: string;
}

/**
 * Serves `code` as version 1 of model `m` until the test ends. `files` are further files of that version. Tests that
 * share the model pass an `onEnd` that collects the clean-up to do after the last of these tests, in reverse order.
 */
export const loadPythonModel = async (
  code: string,
  config: ModelConfig = {},
  options: Partial<PythonBackendOptions> = {},
  files: Readonly<Record<string, string>> = {},
  onEnd: (end: () => Promise<void>) => void = onTestFinished,
): Promise<PythonModelUnderTest> => {
  const root = await mkdtemp(join(tmpdir(), "tritype-test-"));
  onEnd(() => rm(root, { recursive: true, force: true }));
  const folder = join(root, "m");
  const versionFolder = join(folder, "1");
  await mkdir(versionFolder, { recursive: true });
  for (const [name, text] of Object.entries({ ...files, "model.py": code }))
    await writeFile(join(versionFolder, name), text);
  const notices: string[] = [];
  const tell = (text: string): void => {
    notices.push(text);
    options.notice?.(text);
  };
  const command = options.command ?? (await pythonWithNumpy());
  const backend = createPythonBackend({ host: lonely(), ...options, command, notice: tell });
  const version = {
    name: "m",
    version: "1",
    folder,
    versionFolder,
    config: { name: "m", backend: "python", ...config },
  };
  const completed = (await backend.complete?.(version)) ?? version.config;
  const model = await backend.load({ ...version, config: completed });
  onEnd(() => model.close());
  return { model, notices, folder };
};

/** A host that has no other models. */
const lonely = (): ModelHost => ({
  admit: ({ model }) => {
    throw new PipelineError("model/not-found", `no model '${model}'`);
  },
  isReady: () => false,
  decoupled: () => false,
  admitStream: () => {
    throw new Error("there is no decoupled model");
  },
  load: () => Promise.reject(notExplicit()),
  unload: () => Promise.reject(notExplicit()),
  metrics: createCustomMetrics(),
});

/** A request for all outputs of the model. */
export const requestOf = (
  inputs: Readonly<Record<string, TensorData>>,
  rest: Partial<ModelRequest> = {},
): ModelRequest => ({
  id: "",
  outputs: [],
  parameters: {},
  ...rest,
  inputs: new Map(Object.entries(inputs)),
});

/** The outputs of a result. Throws the request's error. */
export const outputsOf = (result: ModelResult | undefined): NamedTensors => {
  if (result === undefined) throw new Error("there is no result");
  if ("error" in result) throw result.error;
  return result.outputs;
};

/** `<code>: <message>` of a failed request. */
export const errorOf = (result: ModelResult | undefined): string => {
  if (result === undefined || !("error" in result)) throw new Error("the request did not fail");
  return `${result.error.code}: ${result.error.message}`;
};
