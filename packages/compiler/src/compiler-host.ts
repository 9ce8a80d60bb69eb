/** What the compiler asks of the world. Paths are relative to the project's root, with "/". */
export interface CompilerHost {
  /** The bytes of a file, or undefined when there is none. */
  readFile(path: string): Uint8Array | undefined;
  /** Paths of all files in a folder and in its folders, relative to it and sorted, or undefined when there is no such folder. */
  listFiles(folder: string): readonly string[] | undefined;
  /** Lower-case hexadecimal SHA-256. */
  sha256(bytes: Uint8Array): string;
}
