/** A file in a source of models. */
export interface SourceFile {
  /** Path from the source's root, with "/". */
  readonly path: string;
  /** Bytes. */
  readonly size: number;
}

/** The origin of a model's files: a repository of the hub, a folder, or a single file. */
export interface ModelSource {
  /** For display. */
  readonly shown: string;
  /** The origin as in the lock file: `hf:owner/name`, or a path relative to the project's root. */
  readonly written: string;
  /** The default name of the model. */
  readonly name: string;
  readonly files: readonly SourceFile[];
  /** The single file that the user named; if undefined, one of the files must be chosen. */
  readonly model: string | undefined;
  /** Revision of a hub repository. */
  readonly pin: { readonly revision: string; readonly commit: string } | undefined;
  /** The project folder that already contains the files; they stay there. */
  readonly inPlace: string | undefined;
  /** If the source has no ONNX file: the command that creates one, and how to continue. */
  readonly exportHelp: string;
  /** Absolute path of a file on this machine. */
  readonly fetch: (file: SourceFile) => Promise<string>;
  /** The git blob id, for a file that the hub identifies in this way. */
  readonly gitBlob: (path: string) => string | undefined;
}
