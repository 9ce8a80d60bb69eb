import { showBytes } from "@tritype/hub";
import { printableLine } from "@tritype/project/diagnostics";
import type { Terminal } from "../terminal.ts";

/** Shows download progress: a bar on a terminal, otherwise a line from time to time. */
export interface DownloadMeter {
  /** Runs a download and shows its progress if there is anything to download. */
  readonly during: <T>(
    label: string,
    total: number,
    work: (progress: (done: number) => void) => Promise<T>,
  ) => Promise<T>;
}

/** Smaller files are not reported. */
const worthALine = 1_000_000;
const barMs = 100;
const lineMs = 20_000;

/** @param now In milliseconds. */
export const createDownloadMeter = (
  terminal: Pick<Terminal, "columns" | "note" | "progress">,
  now: () => number = () => performance.now(),
): DownloadMeter => ({
  async during(name, total, work) {
    const label = printableLine(name);
    let began: { readonly at: number; readonly done: number } | undefined;
    let shown = 0;
    const progress = (done: number): void => {
      const at = now();
      if (began === undefined) {
        began = { at, done };
        shown = at;
        if (terminal.columns === undefined && total >= worthALine)
          terminal.note(
            `downloading ${label} (${showBytes(total)}${done > 0 ? `, ${showBytes(done)} already here` : ""})`,
          );
      }
      if (at - shown < (terminal.columns === undefined ? lineMs : barMs) && done < total) return;
      shown = at;
      const rate = ((done - began.done) / Math.max(at - began.at, 1)) * 1000;
      if (terminal.columns !== undefined)
        terminal.progress(progressLine({ label, done, total, rate, columns: terminal.columns }));
      else if (done < total)
        terminal.note(
          `${label}: ${percent(done, total)} of ${showBytes(total)}, ${showBytes(Math.round(rate))}/s`,
        );
    };
    try {
      const result = await work(progress);
      const started = began as { readonly at: number } | undefined;
      terminal.progress("");
      if (total < worthALine) return result;
      terminal.note(
        started === undefined
          ? `${label} (${showBytes(total)}) was in the cache`
          : `${label} (${showBytes(total)}) in ${duration((now() - started.at) / 1000)}`,
      );
      return result;
    } finally {
      terminal.progress("");
    }
  },
});

export interface Progress {
  readonly label: string;
  /** Bytes. */
  readonly done: number;
  readonly total: number;
  /** Bytes per second. */
  readonly rate: number;
  readonly columns: number;
}

/** One line that fits into the terminal: name, bar, and remaining time. */
export const progressLine = ({ label, done, total, rate, columns }: Progress): string => {
  const left = rate > 0 ? `, ${duration((total - done) / rate)} left` : "";
  const facts = `${percent(done, total)} of ${showBytes(total)}, ${showBytes(Math.round(rate))}/s${left}`;
  const room = columns - 1 - facts.length - 2;
  const width = Math.min(24, room - label.length - 3);
  if (width < 5) return `${label}: ${facts}`.slice(0, Math.max(columns - 1, 0));
  const full = Math.floor((done / Math.max(total, 1)) * width);
  return `${label} [${"#".repeat(full)}${"-".repeat(width - full)}] ${facts}`;
};

const percent = (done: number, total: number): string => `${Math.floor((done / Math.max(total, 1)) * 100)} %`;

const duration = (seconds: number): string => {
  if (seconds < 10) return `${seconds.toFixed(1)} s`;
  const whole = Math.round(seconds);
  if (whole < 120) return `${whole} s`;
  return whole < 7200 ? `${Math.round(whole / 60)} min` : `${Math.round(whole / 3600)} h`;
};
