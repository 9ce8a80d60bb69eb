import { createInterface } from "node:readline";
import type { Readable } from "node:stream";

/** Passes on a child's output line by line, and keeps the end of it for the message of a failed load. */
export class ChildOutput {
  readonly #onLine: (line: string) => void;
  #end = "";

  constructor(onLine: (line: string) => void) {
    this.#onLine = onLine;
  }

  /** `take` may consume a line by returning true. */
  forward(stream: Readable, take: (line: string) => boolean = () => false): void {
    createInterface({ input: stream, crlfDelay: Number.POSITIVE_INFINITY }).on("line", (line) => {
      if (take(line)) return;
      this.#end = `${this.#end}${line}\n`.slice(-8192);
      this.#onLine(line);
    });
  }

  /** The last lines, at most 8 kB. */
  get end(): string {
    return this.#end;
  }
}
