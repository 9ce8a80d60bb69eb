/** A file that a source of models has. */
export interface SourceFile {
  /** From the source's root, with "/". */
  readonly path: string;
  /** Bytes. */
  readonly size: number;
}

/** Where a model's files come from: a repository of the hub, a folder, a single file. */
export interface ModelSource {
  /** As people read it. */
  readonly shown: string;
  /** As the lock file writes it: `hf:owner/name`, or a path from the project's root. */
  readonly written: string;
  /** The default name of the model. */
  readonly name: string;
  readonly files: readonly SourceFile[];
  /** The one file that was named; undefined: it is to be chosen. */
  readonly model: string | undefined;
  /** State of a repository of the hub. */
  readonly pin: { readonly revision: string; readonly commit: string } | undefined;
  /** Folder inside of the project that the files lie in already: they stay there. */
  readonly inPlace: string | undefined;
  /** The command that makes an ONNX file of what the source has, where it has none, and how to go on. */
  readonly exportHelp: string;
  /** Absolute path of a file on this machine. */
  readonly fetch: (file: SourceFile) => Promise<string>;
  /** Git's id, for a file that the hub knows by that. */
  readonly gitBlob: (path: string) => string | undefined;
}
