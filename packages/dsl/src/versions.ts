import type { Signature, StreamTensorType } from "@tritype/core";
import type { Step } from "./step.ts";

/** Maps a version number, from 1, to the options of that version. */
export type Versions<T> = Readonly<Record<number, T>>;

/** A step whose model has the listed versions. */
export interface VersionedStep<Inputs extends Signature, Outputs extends Signature, V extends number>
  extends Step<Inputs, Outputs> {
  version(version: V): Step<Inputs, Outputs>;
}

interface Listed {
  readonly versions: object;
}

interface Decoupled {
  readonly modelTransactionPolicy: { readonly decoupled: true };
}
type Sent<Outputs extends Signature, M> = M extends Decoupled
  ? { readonly [K in keyof Outputs]: StreamTensorType<Outputs[K]["dtype"], Outputs[K]["dims"]> }
  : Outputs;

/**
 * The step that a constructor returns for options `M`. With `versions`, only those versions can be called;
 * the outputs of a decoupled model are streams.
 */
export type StepOf<Inputs extends Signature, Outputs extends Signature, M> = M extends Listed
  ? VersionedStep<Inputs, Sent<Outputs, M>, keyof M["versions"] & number>
  : Step<Inputs, Sent<Outputs, M>>;

/** The check of options `M`: exactly one of `One`, such as `{ file: string }`, and `versions` is present. */
export type OneOrVersions<M, As, One> = M extends One
  ? M extends Listed
    ? Omit<As, "versions"> & {
        readonly versions: `✗ \`${keyof One & string}\` and \`versions\` are mutually exclusive`;
      }
    : As
  : M extends Listed
    ? As
    : As & One;
