import { readFileSync } from "node:fs";
import { join } from "node:path";
import { attempt, type Diagnostic, type Label, PipelineError } from "@tritype/core";
import type { ReadSource } from "./render/render-diagnostic.ts";

/** The user's files cannot be loaded. The message, help and reason come from the first diagnostic. */
export class ProjectError extends PipelineError {
  /** At least one diagnostic. */
  readonly diagnostics: readonly Diagnostic[];
  readonly readSource: ReadSource;

  constructor(root: string, diagnostics: readonly Diagnostic[], cause?: unknown) {
    const [first] = diagnostics;
    const span = first?.labels[0]?.span;
    const place = span === undefined ? "" : `${span.file}:${span.line}:${span.column}: `;
    super("project/invalid", `${place}${first?.message ?? ""}`, {
      cause,
      ...(first === undefined ? {} : { reason: first.code, help: first.help }),
    });
    this.name = "ProjectError";
    this.diagnostics = diagnostics;
    this.readSource = sourceReader(root);
  }
}

/** A mistake in the user's files. */
export const mistake = (message: string, labels: readonly Label[], help?: string): Diagnostic => ({
  code: "project/invalid",
  severity: "error",
  message,
  labels,
  notes: [],
  help,
});

/** Reads the user's files by path from the project's root. */
export const sourceReader =
  (root: string): ReadSource =>
  (file) =>
    attempt(() => readFileSync(join(root, file), "utf8"));
