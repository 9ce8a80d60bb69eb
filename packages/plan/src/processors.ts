/** Executions that share the processors of a server. Times in microseconds. */
export interface Processors {
  /** Processors that the executions want. */
  readonly wanted: () => number;
  /** @param us Processing time on each of the `threads` processors. */
  readonly start: (threads: number, us: number, end: () => void) => void;
  /** The time of the next change if `free` processors are free until then; infinite if there is none. */
  readonly nextChange: (now: number, free: number) => number;
  /** Lets time pass in which `free` processors are free. */
  readonly advance: (passed: number, free: number) => void;
  /** Makes the change that `nextChange` has found. */
  readonly change: () => void;
}

interface Execution {
  readonly threads: number;
  readonly end: () => void;
  left: number;
  /** Time for which it has run since it was last sent behind others. */
  ran: number;
}

/** Linux's slice on two processors (`se.slice` in `/proc/self/sched`). A slice ends at a timer tick (`CONFIG_HZ=250`). */
const [slice, tick] = [1400, 4000];

/**
 * Processors as Linux shares them: it first runs what has just started. When the slice of a running execution is over and others wait,
 * it goes behind them.
 */
export const createProcessors = (): Processors => {
  /** Those in front run. */
  let executions: Execution[] = [];
  let wanted = 0;
  let [changing, itEnds] = [undefined as Execution | undefined, false];

  return {
    wanted: () => wanted,
    start: (threads, us, end) => {
      wanted += threads;
      executions.unshift({ threads, end, left: us, ran: 0 });
    },
    nextChange: (now, free) => {
      let next = Number.POSITIVE_INFINITY;
      let idle = free;
      for (const one of executions) {
        if (idle <= 0) break;
        const speed = Math.min(1, idle / one.threads);
        idle -= one.threads;
        const ends = now + Math.max(0, one.left) / speed;
        if (ends < next) [next, changing, itEnds] = [ends, one, true];
        if (wanted <= free) continue;
        const turnEnds = (Math.floor((now + Math.max(0, slice - one.ran)) / tick) + 1) * tick;
        if (turnEnds < next) [next, changing, itEnds] = [turnEnds, one, false];
      }
      return next;
    },
    advance: (passed, free) => {
      let idle = free;
      for (const one of executions) {
        if (idle <= 0) break;
        one.left -= passed * Math.min(1, idle / one.threads);
        one.ran += passed;
        idle -= one.threads;
      }
    },
    change: () => {
      const one = changing as Execution;
      executions = executions.filter((other) => other !== one);
      if (itEnds) {
        wanted -= one.threads;
        one.end();
      } else {
        one.ran = 0;
        executions.push(one);
      }
    },
  };
};
