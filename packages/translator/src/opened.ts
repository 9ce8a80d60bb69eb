import type { ts } from "ts-morph";

/** A file with its program and type checker. */
export interface Opened {
  readonly file: ts.SourceFile;
  readonly program: ts.Program;
  readonly checker: ts.TypeChecker;
}
