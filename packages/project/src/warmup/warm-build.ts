import {
  type CapturedWarmup,
  type Compilation,
  type CompiledBuild,
  paddingChangesAnswers,
  sampleFailed,
} from "@tritype/compiler";
import { hasErrors, printRawData, sortDiagnostics } from "@tritype/core";
import type { ManifestPaddingProof } from "@tritype/manifest";
import type { TritonRelease } from "@tritype/triton";
import { checkBuild } from "../check/check-build.ts";
import { captureSamples } from "./capture-samples.ts";
import type { PaddingMeasurement } from "./measure-padding.ts";
import { readCaptured } from "./read-captured.ts";
import { createHash } from "node:crypto";

export interface WarmBuildOptions {
  /** The build folder, whose last build may contain the tensors. */
  readonly output: string;
  readonly release: TritonRelease;
  readonly notice: (text: string) => void;
}

/**
 * Compiles with the ensembles' samples, by sending them through the graph on the local runtime and compiling again with
 * the tensors that reached the models. The tensors from the last build are reused until the build without warmup or the
 * samples change, because float tensors from two machines may differ in their last bits, and the same sources must give
 * the same bytes.
 */
export const warmBuild = async (
  compile: (warmup?: CapturedWarmup) => Compilation,
  { output, release, notice }: WarmBuildOptions,
): Promise<Compilation> => {
  const cold = compile();
  const { build } = cold;
  if (build === undefined || build.samples.length === 0) return cold;
  const key = warmupKey(build);
  const known = readCaptured(output, key, build.collated);
  if (known !== undefined) return compile({ key, ...known });
  if (isRefused(cold, release)) return cold;
  const captured = await captureSamples(build, notice);
  const [first] = captured.failures;
  if (first !== undefined && captured.failures.every(({ needsTool }) => needsTool)) {
    const { model, reason, help = "" } = first;
    notice(
      `no samples could be run, so the build has no warmup from them: \`${model}\`: ${reason.trim()}; ${help}`,
    );
    return cold;
  }
  const failures = [
    ...captured.failures.map(({ sample, model, reason, help }) => sampleFailed(sample, model, reason, help)),
    ...captured.padding
      .filter(({ maxDifference, collated }) => maxDifference > collated.tolerance)
      .map(({ collated, output, maxDifference }) => paddingChangesAnswers(collated, output, maxDifference)),
  ];
  if (failures.length === 0)
    return compile({
      key,
      requests: captured.requests,
      padding: captured.padding.map((measured) => proofOf(measured, key)),
    });
  return { ...cold, diagnostics: sortDiagnostics([...cold.diagnostics, ...failures]), build: undefined };
};

/** Rounds to two digits, because float tensors from two machines may differ in their last bits. */
const proofOf = (
  { collated: { ensemble, tolerance }, rows, paddedTo, maxDifference }: PaddingMeasurement,
  key: string,
): ManifestPaddingProof => ({
  ensemble,
  key,
  rows,
  paddedTo,
  maxDifference: Number(maxDifference.toPrecision(2)),
  tolerance,
});

/** A model that Triton would refuse is reported instead of run, because running it would give a worse message. */
const isRefused = ({ emitted }: Compilation, release: TritonRelease): boolean => {
  const { authors, ours } = checkBuild(emitted, { release });
  return hasErrors([...authors, ...ours]);
};

/** SHA-256 of everything that captured tensors depend on: the files of a build without warmup, and its samples. */
const warmupKey = ({ manifest, samples }: CompiledBuild): string => {
  const hash = createHash("sha256").update(JSON.stringify(manifest.files));
  for (const { ensemble, name, inputs, row } of samples) {
    hash.update(JSON.stringify([ensemble, name, row]));
    for (const [input, tensor] of inputs)
      hash.update(JSON.stringify([input, tensor.dtype, tensor.shape])).update(printRawData(tensor));
  }
  return hash.digest("hex");
};
