import { join } from "node:path";
import type { EnsembleSample } from "@tritype/compiler";
import { messageOf, type NamedTensors, percentile, printRawData } from "@tritype/core";
import type { DeployedBuild, MeasuredEnsemble, SmokeMeasurement, SmokeTensors } from "@tritype/deploy";
import { type LocalEndpoint, openLocal } from "@tritype/endpoint";
import { compileProject, type Project } from "@tritype/project";
import { sampleInputs } from "../bench/request-set.ts";
import { cliError } from "../errors.ts";
import { shownPath } from "../shown-path.ts";
import { whyNotSent } from "../smoke/check-server.ts";
import { timeSamples } from "../smoke/time-samples.ts";
import type { Terminal } from "../terminal.ts";

/** For each ensemble, the samples and the answers of the build in the local runtime, or why there are none. */
export const measureSamples = async (
  project: Project,
  { manifest }: DeployedBuild,
  output: string,
  terminal: Terminal,
): Promise<SmokeMeasurement> => {
  const key = manifest.warmup?.key;
  const samples = key === undefined ? [] : await samplesOf(project, key, output, terminal);
  const reasons = manifest.ensembles.map(
    (ensemble) => [ensemble.name, whyNotSent(ensemble, { samples })] as const,
  );
  const unchecked = reasons.flatMap(([name, why]) =>
    why === undefined ? [] : [[name, { unchecked: why }] as const],
  );
  const sent = reasons.flatMap(([name, why]) => (why === undefined ? [name] : []));
  if (sent.length === 0) return Object.fromEntries(unchecked);
  const local = await openLocal("the build", {
    repository: join(output, "model_repository"),
    device: "cpu",
    python: "twin",
    pythonCommand: terminal.env["TRITYPE_PYTHON"],
    // The build has already printed its notices about the models.
    notice: () => {},
  });
  try {
    const measured: (readonly [string, MeasuredEnsemble])[] = [];
    for (const name of sent)
      measured.push([name, await measureEnsemble(local, name, sampleInputs(name, samples))]);
    return Object.fromEntries([...unchecked, ...measured]);
  } finally {
    await local.close();
  }
};

/** The samples from which the build captured its warmup. @throws PipelineError if the project has others by now */
const samplesOf = async (
  project: Project,
  key: string,
  output: string,
  terminal: Terminal,
): Promise<readonly EnsembleSample[]> => {
  const { build } = (await compileProject(project)).compilation;
  if (build?.manifest.warmup?.key === key) return build.samples;
  throw cliError("deploy/other-samples", { folder: shownPath(terminal.cwd, output) });
};

/** Enough for a median. */
const repeats = 5;

const measureEnsemble = async (
  local: LocalEndpoint,
  model: string,
  requests: readonly NamedTensors[],
): Promise<MeasuredEnsemble> => {
  const samples = [];
  for (const inputs of requests)
    try {
      samples.push({ inputs: written(inputs), outputs: written(await local.infer(model, inputs)) });
    } catch (cause) {
      throw cliError("deploy/sample-failed", { model, why: messageOf(cause) }, { cause });
    }
  const { times } = await timeSamples(local, model, requests, repeats);
  return { medianMilliseconds: Number(percentile(times, 0.5).toPrecision(3)), samples };
};

/** Tensors in the form of `smoke.json`. */
export const written = (tensors: NamedTensors): SmokeTensors =>
  Object.fromEntries(
    [...tensors].map(([name, tensor]) => [
      name,
      {
        datatype: tensor.dtype,
        shape: tensor.shape,
        data: Buffer.from(printRawData(tensor)).toString("base64"),
      },
    ]),
  );
