import type { DriftReport } from "@tritype/drift";
import type { ManifestDriftProof } from "@tritype/manifest";
import { type CompiledProject, gateStates, type Project, proofOf } from "@tritype/project";
import { type ConfiguredDriftOptions, gateReport, refuseUnknownEnsembles } from "./configured-drift.ts";

/** The results of the configured gates for a build. */
export interface GatedBuild {
  /** Proofs for the gates whose limits are met, including those from the last build. */
  readonly proofs: readonly ManifestDriftProof[];
  /** Reports on the gates that were measured this time. */
  readonly reports: readonly DriftReport[];
}

/** Measures every gate for which the last build has no proof. @throws PipelineError as `pipeline drift` */
export const gateBuild = async (
  project: Project,
  compiled: CompiledProject,
  options: ConfiguredDriftOptions,
): Promise<GatedBuild> => {
  refuseUnknownEnsembles(compiled);
  const proofs: ManifestDriftProof[] = [];
  const reports: DriftReport[] = [];
  for (const state of gateStates(project, compiled)) {
    if (state.proof !== undefined) {
      proofs.push(state.proof);
      continue;
    }
    const report = await gateReport(project, compiled, state.ensemble, state.gate, options);
    reports.push(report);
    if (report.ok) proofs.push(proofOf(state, report));
  }
  return { proofs, reports };
};
