import { type CheckedRepository, type CheckOptions, checkRepository } from "@tritype/check";
import { defaultRelease } from "@tritype/triton";
import type { Verdict } from "./verdict.ts";
import { verdictRepository } from "./verdict-repository.ts";

/** The recorded server: 24.10 with a newer ONNX Runtime and nothing else. */
const recorder: CheckOptions = {
  release: { ...defaultRelease, onnxruntime: "1.30.0", maxOpset: 26, maxIrVersion: 13 },
  gpus: [],
  installed: { backends: ["onnxruntime"], repositoryAgents: [], cpuAccelerators: [], libraries: [] },
};

/** A cache, because several tests need the same verdicts. */
const known = new WeakMap<Verdict, CheckedRepository>();

/** The checker's verdict on a recorded repository. */
export const checkVerdict = (verdict: Verdict): CheckedRepository => {
  const found =
    known.get(verdict) ??
    checkRepository(verdictRepository(verdict), { ...recorder, strict: !verdict.autoComplete });
  known.set(verdict, found);
  return found;
};
