import { type ReadSource, renderDiagnostic } from "@tritype/project/diagnostics";
import { type Diagnostic, PipelineError } from "@tritype/core";

/** The pipeline does not compile. `message` shows every diagnostic as the terminal does, with the lines of the source. */
export class DiagnosticsError extends PipelineError {
  /** At least one error, and any warnings. */
  readonly diagnostics: readonly Diagnostic[];

  constructor(what: string, diagnostics: readonly Diagnostic[], readSource: ReadSource, cause?: unknown) {
    const frames = diagnostics.map((diagnostic) => renderDiagnostic(diagnostic, readSource));
    super("project/invalid", [what, ...frames].join("\n\n"), cause === undefined ? {} : { cause });
    this.name = "DiagnosticsError";
    this.diagnostics = diagnostics;
  }
}
