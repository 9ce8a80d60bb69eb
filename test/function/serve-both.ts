import { createHash } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { writeBuild } from "@tritype/project";
import { type CompiledBuild, compile, defaultFunctions, functionKinds } from "@tritype/compiler";
import { invariant, PipelineError, type TensorData, valuesOf } from "@tritype/core";
import { recordOf } from "@tritype/dsl";
import { type Runtime, startRuntime } from "@tritype/runtime";
import { defaultRelease } from "@tritype/triton";
import { defineEnsemble } from "tritype";
import { onTestFinished } from "vitest";
import { pythonWithNumpy } from "../environment/python.ts";
import type { HandMade } from "./hand-made.ts";

/** A build of ensembles, one for each step. */
export const buildOf = (functions: readonly HandMade[]): CompiledBuild => {
  const records = functions.map(({ step }) =>
    recordOf(
      defineEnsemble({
        name: `${step.name}_alone`,
        maxBatchSize: 8,
        inputs: step.inputs,
        run: (handles) =>
          Object.fromEntries(
            Object.entries(step(handles)).map(([name, handle]) => [`${name}_out`, handle]),
          ) as never,
      }),
    ),
  );
  const sites = new Map(functions.map(({ step }, index) => [recordOf(step)?.site, index + 1]));
  const { build, diagnostics } = compile(
    records.flatMap((record) => record ?? []),
    {
      host: {
        readFile: () => undefined,
        listFiles: () => [],
        sha256: (bytes) => createHash("sha256").update(bytes).digest("hex"),
      },
      siteOf: (site) => [{ file: "pipeline.ts", line: sites.get(site) ?? 99, column: 1 }],
      release: defaultRelease,
      docker: false,
      stepKinds: [
        ...functionKinds(({ line }) => ({ refusals: [], translated: functions[line - 1]?.translated }), {
          settings: defaultFunctions,
          bundle: () => ({ files: new Map(), packages: [], native: [], problems: [] }),
        }),
      ],
    },
  );
  invariant(build !== undefined, JSON.stringify(diagnostics, null, 1));
  return build;
};

/** Serves every function twice: in Node and as emitted Python. */
export const serveBoth = async (
  functions: readonly HandMade[],
): Promise<{ readonly native: Runtime; readonly python: Runtime; readonly notices: readonly string[] }> => {
  const folder = mkdtempSync(join(tmpdir(), "tritype-test-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  writeBuild(folder, buildOf(functions).tree);
  const notices: string[] = [];
  const serve = async (python: "twin" | "always"): Promise<Runtime> => {
    const runtime = await startRuntime({
      repository: join(folder, "model_repository"),
      device: "cpu",
      python,
      notice: (text) => void notices.push(text),
      tellPython: () => {},
      pythonCommand: await pythonWithNumpy(),
    });
    onTestFinished(() => runtime.close());
    for (const { name, state, reason } of runtime.models())
      invariant(state === "READY", `${name}: ${reason ?? state}`);
    return runtime;
  };
  const [native, python] = await Promise.all([serve("twin"), serve("always")]);
  return { native, python, notices };
};

export type Inputs = Readonly<Record<string, TensorData>>;

/** A runtime's answer as plain values. */
export const answerOf = async (runtime: Runtime, model: string, inputs: Inputs): Promise<unknown> => {
  try {
    const { outputs } = await runtime.infer({ model, id: "", inputs: new Map(Object.entries(inputs)) });
    return Object.fromEntries(
      [...outputs].map(([name, tensor]) => [name, [tensor.dtype, tensor.shape, valuesOf(tensor)]]),
    );
  } catch (error) {
    if (!PipelineError.is(error)) throw error;
    return `${error.code} ${error.message}`;
  }
};
