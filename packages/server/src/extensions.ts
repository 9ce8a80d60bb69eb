import { createLog, type Log } from "./settings/log-settings.ts";
import type { TraceOptions } from "./tracing/trace-options.ts";
import { createTrace, type Trace } from "./tracing/trace-settings.ts";
import { createRegions, type Regions } from "./shared-memory/regions.ts";

/** The state of Triton's protocol extensions, which the HTTP and gRPC servers of one runtime share. */
export interface Extensions {
  readonly regions: Regions;
  readonly log: Log;
  readonly trace: Trace;
  /** Releases all shared memory, and writes the remaining traces. */
  close(): Promise<void>;
}

export interface ExtensionOptions {
  /** The folder of the shared memory objects. Default: this machine's, if it has one. */
  readonly sharedMemory?: string;
  /** Prints a line of the log. Default: no log. */
  readonly print?: (line: string) => void;
  /** Above 0, the log has a line for each request. Default 0. */
  readonly verboseLevel?: number;
  /** Traces. Default: no traces, and requests cannot turn tracing on. */
  readonly trace?: TraceOptions | undefined;
}

/** Extensions in which nothing is registered and the settings are Triton's defaults. */
export const createExtensions = ({
  sharedMemory,
  print = () => {},
  verboseLevel = 0,
  trace: traceOptions,
}: ExtensionOptions = {}): Extensions => {
  const regions = createRegions(sharedMemory);
  const log = createLog(print, verboseLevel);
  const trace = createTrace(traceOptions, log);
  const close = async (): Promise<void> => {
    await Promise.all([regions.close(), trace.close()]);
  };
  return { regions, log, trace, close };
};
