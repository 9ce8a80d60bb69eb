import { createLog, type Log } from "./settings/log-settings.ts";
import { createTrace, type Trace } from "./settings/trace-settings.ts";
import { createRegions, type Regions } from "./shared-memory/regions.ts";

/** The state of Triton's protocol extensions, which the HTTP and gRPC servers of one runtime share. */
export interface Extensions {
  readonly regions: Regions;
  readonly log: Log;
  readonly trace: Trace;
  /** Ends the use of all shared memory. */
  close(): Promise<void>;
}

export interface ExtensionOptions {
  /** The folder of the shared memory objects. Default: this machine's, if it has one. */
  readonly sharedMemory?: string;
  /** Prints a line of the log. Default: there is no log. */
  readonly print?: (line: string) => void;
  /** Above 0, the log has a line for each request. Default 0. */
  readonly verboseLevel?: number;
}

/** Nothing registered, and Triton's default settings. */
export const createExtensions = ({
  sharedMemory,
  print = () => {},
  verboseLevel = 0,
}: ExtensionOptions = {}): Extensions => {
  const regions = createRegions(sharedMemory);
  return { regions, log: createLog(print, verboseLevel), trace: createTrace(), close: () => regions.close() };
};
