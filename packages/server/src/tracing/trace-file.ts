import { appendFile, writeFile } from "node:fs/promises";

/** The files of a server's traces. No method throws; only the first failure is reported. */
export interface TraceFile {
  /** Writes each record to a separate file: `<path>.0`, `<path>.1`, … */
  saveIndexed(text: string): void;
  /** Adds records to the file without an index, which is complete after `close`. */
  append(text: string): void;
  close(): Promise<void>;
}

export const createTraceFile = (path: string, onFailure: (text: string) => void): TraceFile => {
  let last = Promise.resolve();
  let index = 0;
  let begun = false;
  let failed = false;
  const afterwards = (work: () => Promise<void>): void => {
    last = last.then(work).catch((error: unknown) => {
      if (!failed) onFailure(`failed creating trace file: ${(error as Error).message}`);
      failed = true;
    });
  };
  return {
    saveIndexed: (text) => {
      const name = `${path}.${index++}`;
      afterwards(() => writeFile(name, `[${text}]`));
    },
    append: (text) => {
      const first = !begun;
      begun = true;
      afterwards(() => (first ? writeFile(path, `[${text}`) : appendFile(path, `,${text}`)));
    },
    close: async () => {
      if (begun) afterwards(() => appendFile(path, "]"));
      begun = false;
      await last;
    },
  };
};
