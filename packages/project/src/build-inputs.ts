/** The files that a build depends on. */
export interface BuildInputs {
  /** A file that was read, or looked for and not found, by its absolute path; with a separator at the end, a folder that was listed. */
  add(path: string): void;
  paths(): readonly string[];
}

export const createBuildInputs = (): BuildInputs => {
  const paths = new Set<string>();
  return { add: (path) => void paths.add(path), paths: () => [...paths] };
};
