import { type ReadSource, renderDiagnostic } from "@tritype/project/diagnostics";
import { type Diagnostic, PipelineError } from "@tritype/core";

/** The pipeline does not compile. `message` shows every diagnostic as the terminal does, with the lines of the source. */
export class DiagnosticsError extends PipelineError {
  /** All errors, of which there is at least one, and all warnings. */
  readonly diagnostics: readonly Diagnostic[];

  constructor(what: string, diagnostics: readonly Diagnostic[], readSource: ReadSource, cause?: unknown) {
    const frames = diagnostics.map((diagnostic) => renderDiagnostic(diagnostic, readSource));
    super("project/invalid", [what, ...frames].join("\n\n"), cause === undefined ? {} : { cause });
    this.name = "DiagnosticsError";
    this.diagnostics = diagnostics;
  }
}
