import { type Diagnostic, type Label, type NamedTensors, type StepDefinition } from "@tritype/core";
import { writtenAt } from "../check/check-declaration.ts";
import { readSampleFields } from "./sample-fields.ts";
import { readSample } from "./sample-tensors.ts";
import { diagnoseWarmup } from "./warmup-diagnostics.ts";

/** A sample request to an ensemble or a flow, as tensors. */
export interface EnsembleSample {
  readonly ensemble: string;
  readonly name: string;
  /** The tensors as a client sends them. */
  readonly inputs: NamedTensors;
  /** The row that represents the sample in the members' warmup. */
  readonly row: number;
  readonly batchSize: number;
  readonly count: number;
  /** Whether TensorRT optimizes for the sample's sizes. */
  readonly opt: boolean;
  /** The sample's position in the source. */
  readonly labels: readonly Label[];
}

export interface EnsembleSamples {
  readonly samples: readonly EnsembleSample[];
  readonly diagnostics: readonly Diagnostic[];
}

/** The samples in the `warmup` of an ensemble or a flow; empty if one of them is invalid. */
export const ensembleSamples = (ensemble: StepDefinition, maxBatchSize: number): EnsembleSamples => {
  const given = readSampleFields(ensemble, "warmup");
  const owner = { definition: ensemble, maxBatchSize };
  const diagnostics = [...given.diagnostics];
  const samples: EnsembleSample[] = [];
  for (const sample of given.samples) {
    const values = new Map(Object.entries(sample.inputs).filter(([, value]) => value !== undefined));
    const read = readSample(owner, sample, values);
    if ("diagnostics" in read) {
      diagnostics.push(...read.diagnostics);
      continue;
    }
    samples.push({
      ensemble: ensemble.name,
      name: sample.name,
      inputs: read.tensors,
      row: read.row,
      batchSize: read.batchSize,
      count: sample.count,
      opt: sample.opt,
      labels: writtenAt(ensemble, ...sample.path),
    });
  }
  return diagnostics.length > 0 ? { samples: [], diagnostics } : { samples, diagnostics };
};

/** A sample for which the pipeline fails. */
export const sampleFailed = (
  sample: EnsembleSample,
  model: string,
  reason: string,
  help?: string,
): Diagnostic =>
  diagnoseWarmup("sample/failed", {
    with: { sample: sample.name, owner: sample.ensemble, model, reason },
    labels: sample.labels,
    help,
  });
