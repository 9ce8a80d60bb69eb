/** The files that a build depends on. */
export interface BuildInputs {
  /**
   * The absolute path of a file that was read, or that was looked for but not found. The path of a folder that was
   * listed ends with a separator.
   */
  add(path: string): void;
  paths(): readonly string[];
}

export const createBuildInputs = (): BuildInputs => {
  const paths = new Set<string>();
  return { add: (path) => void paths.add(path), paths: () => [...paths] };
};
