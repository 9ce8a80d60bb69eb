import type { CapturedRequest, EnsembleSample } from "@tritype/compiler";
import { concatRows, type NamedTensors, type TensorData } from "@tritype/core";
import type { Manifest } from "@tritype/manifest";
import { ensembleCalls } from "@tritype/plan";
import { readCaptured } from "@tritype/project";
import { readRawData } from "@tritype/protocol";
import type { ModelConfig } from "@tritype/triton";

/** A request to an ensemble or a flow. */
export type VariantSample = Pick<EnsembleSample, "ensemble" | "name" | "inputs">;

/**
 * The samples of the ensembles in a build, reconstructed from the warmup requests of the models that read the ensembles' inputs: one row
 * of each sample. A sample is left out if the warmup does not contain all of its inputs. Flows have no warmup, so they have no samples.
 * @param configs All models of the build.
 */
export const builtSamples = (
  folder: string,
  { ensembles, warmup }: Manifest,
  configs: ReadonlyMap<string, ModelConfig>,
): readonly VariantSample[] => {
  const captured = warmup === undefined ? [] : (readCaptured(folder, warmup.key, [])?.requests ?? []);
  return ensembles.flatMap(({ name: ensemble }) => {
    const requests = captured.filter((request) => request.ensemble === ensemble);
    const names = [...new Set(requests.map(({ sample }) => sample))];
    const wanted = configs.get(ensemble)?.input ?? [];
    return names.flatMap((name) => {
      const found = inputsOf(
        ensemble,
        requests.filter(({ sample }) => sample === name),
        configs,
      );
      if (wanted.some((input) => input.optional !== true && !found.has(input.name ?? ""))) return [];
      const inputs = new Map(wanted.flatMap(({ name: input = "" }) => entryOf(found, input)));
      return [{ ensemble, name, inputs }];
    });
  });
};

const entryOf = (tensors: NamedTensors, name: string): readonly (readonly [string, TensorData])[] => {
  const tensor = tensors.get(name);
  return tensor === undefined ? [] : [[name, tensor]];
};

/** The tensors that reached the models of an ensemble, by their names in the ensemble. @param requests Those of one sample. */
const inputsOf = (
  ensemble: string,
  requests: readonly CapturedRequest[],
  configs: ReadonlyMap<string, ModelConfig>,
): NamedTensors => {
  const tensors = new Map<string, TensorData>();
  const calls = ensembleCalls(ensemble, configs);
  for (const { model, reads } of calls) {
    const [request, ...others] = requests.filter((one) => one.model === model);
    // If a model is called several times, it is unknown which request belongs to which call.
    if (request === undefined || others.length > 0 || calls.filter((one) => one.model === model).length > 1)
      continue;
    const batched = (configs.get(model)?.max_batch_size ?? 0) > 0;
    for (const [input, { dtype, dims, bytes }] of Object.entries(request.inputs)) {
      const tensor = readRawData({ model, input, id: "" }, dtype, batched ? [1, ...dims] : dims, bytes);
      tensors.set(reads.get(input) ?? "", concatRows(Array(request.rows ?? 1).fill(tensor)));
    }
  }
  return tensors;
};
