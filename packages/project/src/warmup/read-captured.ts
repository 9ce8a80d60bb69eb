import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { CapturedRequest, CapturedTensor, CapturedWarmup, CollatedEnsemble } from "@tritype/compiler";
import { attempt, isDType } from "@tritype/core";
import type { Manifest, ManifestWarmupRequest } from "@tritype/manifest";
import { hashBytes } from "../files/large-file.ts";
import { lastManifest } from "../files/write-build.ts";

/** The captured requests of the last build in the folder; undefined if it had another key or its files have changed. */
export const readCaptured = (
  output: string,
  key: string,
  collated: readonly CollatedEnsemble[],
): Omit<CapturedWarmup, "key"> | undefined => {
  const manifest = lastManifest(output);
  if (manifest?.warmup?.key !== key) return undefined;
  const padding = (manifest.padding ?? []).filter((proof) =>
    collated.some(
      ({ ensemble, tolerance }) =>
        proof.key === key && proof.ensemble === ensemble && proof.tolerance === tolerance,
    ),
  );
  if (padding.length < collated.length) return undefined;
  const requests: CapturedRequest[] = [];
  for (const request of manifest.warmup.requests) {
    const inputs = readInputs(output, manifest, request);
    if (inputs === undefined) return undefined;
    requests.push({ ...request, inputs });
  }
  return { requests, padding };
};

const readInputs = (
  output: string,
  { files }: Manifest,
  { model, inputs }: ManifestWarmupRequest,
): Readonly<Record<string, CapturedTensor>> | undefined => {
  const read: Record<string, CapturedTensor> = {};
  for (const [input, { dtype, dims, file }] of Object.entries(inputs)) {
    if (!isDType(dtype)) return undefined;
    const path = `model_repository/${model}/${file}`;
    const bytes = file === undefined ? new Uint8Array() : tryRead(join(output, path));
    if (bytes === undefined || (file !== undefined && hashBytes(bytes) !== files[path])) return undefined;
    read[input] = { dtype, dims, bytes };
  }
  return read;
};

const tryRead = (path: string): Uint8Array | undefined => attempt(() => readFileSync(path));
