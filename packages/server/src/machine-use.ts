import { cpus, freemem, totalmem } from "node:os";

/** How busy this machine is. */
export interface MachineUse {
  /** Share of the processors' time since the last measurement, 0 to 1. */
  readonly cpu: number;
  /** Bytes. */
  readonly memory: number;
  readonly memoryUsed: number;
}

/** Measures repeatedly how busy this machine is. */
export interface MachineWatch {
  /** The last measurement. */
  use(): MachineUse;
  close(): void;
}

/** @param interval Milliseconds; as in Triton, there are two measurements per interval. */
export const watchMachine = (interval: number): MachineWatch => {
  let before = processorTimes();
  const measure = (): MachineUse => {
    const now = processorTimes();
    const [busy, all] = [now.busy - before.busy, now.all - before.all];
    before = now;
    return { cpu: all > 0 ? busy / all : 0, memory: totalmem(), memoryUsed: totalmem() - freemem() };
  };
  let last = measure();
  const timer = setInterval(
    () => {
      last = measure();
    },
    Math.max(1, interval / 2),
  ).unref();
  return { use: () => last, close: () => clearInterval(timer) };
};

const processorTimes = (): { readonly busy: number; readonly all: number } =>
  cpus().reduce(
    ({ busy, all }, { times: { idle, user, nice, sys, irq } }) => ({
      busy: busy + user + nice + sys + irq,
      all: all + user + nice + sys + irq + idle,
    }),
    { busy: 0, all: 0 },
  );
