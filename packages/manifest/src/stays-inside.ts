/** Whether a path that a file names leads to a place inside its folder, on every operating system. */
export const staysInside = (path: string): boolean =>
  !/^(?:[/\\]|[A-Za-z]:)/.test(path) && !path.split(/[/\\]/).includes("..");
