import { type CheckedRepository, type CheckOptions, checkRepository } from "@tritype/check";
import { defaultRelease } from "@tritype/triton";
import type { Verdict } from "./verdict.ts";
import { verdictRepository } from "./verdict-repository.ts";

/** The server of the record: 24.10 with a newer ONNX Runtime, and nothing beside it. */
const recorder: CheckOptions = {
  release: { ...defaultRelease, onnxruntime: "1.30.0", maxOpset: 26, maxIrVersion: 13 },
  gpus: [],
  installed: { backends: ["onnxruntime"], repositoryAgents: [], cpuAccelerators: [], libraries: [] },
};

/** Several tests ask for the same. */
const known = new WeakMap<Verdict, CheckedRepository>();

/** What the checker says of a recorded repository. */
export const checkVerdict = (verdict: Verdict): CheckedRepository => {
  const found =
    known.get(verdict) ??
    checkRepository(verdictRepository(verdict), { ...recorder, strict: !verdict.autoComplete });
  known.set(verdict, found);
  return found;
};
