import type { Message } from "esbuild";
import type { BuildInputs } from "../build-inputs.ts";

/** An npm package on this machine. */
export interface InstalledPackage {
  /** The name by which it is imported. */
  readonly name: string;
  readonly version: string;
  readonly licence: string | undefined;
  /** The package's folder, an absolute path. */
  readonly folder: string;
  /** Whether the package contains, or selects, a native addon. */
  readonly isNative: boolean;
}

/** The package of a file; undefined outside `node_modules`. */
export type PackageOf = (path: string) => InstalledPackage | undefined;

/** An import of a package, or of an addon. */
export interface PackageImport {
  /** The importing file, an absolute path. */
  readonly from: string;
  readonly written: string;
  /** The imported file; undefined if there is none. */
  readonly to: string | undefined;
}

/** A module that a source loads through `createRequire`, which esbuild does not detect. */
export interface CreatedRequire extends PackageImport {
  /** The position of its name in the text. */
  readonly offset: number;
}

/** The result of esbuild. */
export interface Bundled {
  /** Includes the packages in `required`. */
  readonly imports: readonly PackageImport[];
  readonly required: readonly CreatedRequire[];
  readonly messages: readonly Message[];
  /** Undefined if it failed. */
  readonly made: MadeBundle | undefined;
}

/** A finished bundle; all files are absolute paths. */
export interface MadeBundle {
  readonly text: string;
  readonly map: string;
  /** The files that the bundle was made from. */
  readonly read: readonly string[];
  /** The files that contribute to the bundle. */
  readonly contained: readonly string[];
  /** The modules that the bundle imports, as written in the source. */
  readonly external: readonly string[];
  /** Whether another file imports the file that defines the step. */
  readonly isImported: boolean;
}

export interface BundleTask {
  readonly root: string;
  readonly step: string;
  /** The file that defines the step: an absolute path. */
  readonly file: string;
  /** The code of a source, if it differs from its file. */
  readonly textOf: (path: string) => string | undefined;
  readonly nodeMajor: number;
  readonly inputs: BuildInputs;
  readonly packageOf: PackageOf;
}
