import type { CompiledBuild } from "@tritype/compiler";
import { type Diagnostic, hasErrors, sortDiagnostics } from "@tritype/core";
import type { CompiledProject } from "../compile-project.ts";
import { checkBuild, isRefusal } from "./check-build.ts";

/** A compilation, checked by the rules of `pipeline check`. */
export interface JudgedBuild {
  /** Sorted. A note marks bugs in the compiler. */
  readonly diagnostics: readonly Diagnostic[];
  /** The build to write; undefined when there are errors. */
  readonly build: CompiledBuild | undefined;
  /** Whether the project compiles but Triton would refuse it. */
  readonly refused: boolean;
}

/** @param root Root of the project, where models without findings are cached. Default: all models are checked. */
export const judgeBuild = ({ settings, compilation }: CompiledProject, root?: string): JudgedBuild => {
  const { build, emitted } = compilation;
  const { authors, ours } = checkBuild(emitted, { ...settings, rememberedIn: root });
  const bugs = ours.map((diagnostic) => ({ ...diagnostic, notes: [...diagnostic.notes, isOurBug] }));
  const diagnostics = sortDiagnostics([...compilation.diagnostics, ...authors, ...bugs]);
  return {
    diagnostics,
    build: hasErrors(diagnostics) ? undefined : build,
    refused: build !== undefined && diagnostics.some(isRefusal),
  };
};

const isOurBug = "the compiler wrote this: it is a bug in tritype";
