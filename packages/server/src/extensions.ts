import { createRegions, type Regions } from "./shared-memory/regions.ts";

/** The state of Triton's protocol extensions, which the HTTP and gRPC servers of one runtime share. */
export interface Extensions {
  readonly regions: Regions;
  /** Ends the use of all shared memory. */
  close(): Promise<void>;
}

/**
 * Nothing registered.
 * @param folder Of the shared memory objects. Default: this machine's, if it has one.
 */
export const createExtensions = (folder?: string): Extensions => {
  const regions = createRegions(folder);
  return { regions, close: () => regions.close() };
};
