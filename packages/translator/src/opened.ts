import type { ts } from "ts-morph";

/** A file of a program, and a checker that knows it. */
export interface Opened {
  readonly file: ts.SourceFile;
  readonly program: ts.Program;
  readonly checker: ts.TypeChecker;
}
