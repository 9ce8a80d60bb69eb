import { constants } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { join } from "node:path";
import { foreignError, type PipelineError } from "@tritype/core";
import { type RegionPart, unknownRegion } from "@tritype/protocol";
import { serverError } from "../errors.ts";

/** A registered region, as the status reports it. */
export interface RegionStatus {
  readonly name: string;
  /** The name of the POSIX shared memory object. */
  readonly key: string;
  /** The position at which the region begins in the object. */
  readonly offset: number;
  readonly byte_size: number;
}

export interface Region extends RegionStatus {
  /** Keeps the object alive after its name is removed, as a mapping would. */
  readonly file: FileHandle;
  /** Number of tensors of running requests in the region; it cannot be unregistered until this is 0. */
  uses: number;
}

/** The system shared memory regions of one server. */
export interface Regions {
  /** @throws PipelineError with Triton's message. */
  register(name: string, key: string, offset: number, byteSize: number): Promise<void>;
  /** The region with this name, or all regions, sorted by name, for "". @throws PipelineError `model/not-found` */
  status(name: string): readonly RegionStatus[];
  /** Whether a region has this name. */
  has(name: string): boolean;
  /** Removes the region with this name, or all regions for ""; does nothing if there is none. @throws PipelineError if one is in use. */
  unregister(name: string): Promise<void>;
  /** The region that contains a part; this counts as a use of it. @throws PipelineError with Triton's message. */
  use(part: RegionPart): Region;
  /** Whether no region is registered. */
  isEmpty(): boolean;
  /** Closes all regions, even those in use. */
  close(): Promise<void>;
}

/** The folder in which this machine keeps POSIX shared memory objects as files; "" if it does not. */
const machineFolder = process.platform === "linux" ? "/dev/shm" : "";

/**
 * Regions are read and written with system calls instead of being mapped, so no native code is needed, and a
 * file that has shrunk cannot crash the process.
 */
export const createRegions = (folder: string = machineFolder): Regions => {
  const regions = new Map<string, Region>();
  const requireNew = (name: string): void => {
    if (regions.has(name))
      throw foreignError("model/already-exists", `shared memory region '${name}' already in manager`);
  };
  const remove = async (region: Region): Promise<void> => {
    regions.delete(region.name);
    await region.file.close();
  };
  return {
    register: async (name, key, offset, byteSize) => {
      requireNew(name);
      if (folder === "") throw serverError("region/not-on-this-system", { platform: process.platform });
      const file = await openObject(folder, key);
      try {
        const { size } = await file.stat();
        requirePlace(name, offset, byteSize, size);
        requireNew(name);
      } catch (error) {
        await file.close();
        throw error;
      }
      regions.set(name, { name, key, offset, byte_size: byteSize, file, uses: 0 });
    },
    status: (name) => {
      if (name === "") return [...regions.values()].toSorted(byName).map(statusOf);
      const region = regions.get(name);
      if (region === undefined)
        throw foreignError("model/not-found", `Unable to find system shared memory region: '${name}'`);
      return [statusOf(region)];
    },
    has: (name) => regions.has(name),
    unregister: async (name) => {
      const chosen = [...regions.values()].filter((region) => name === "" || region.name === name);
      const [free, used] = [chosen.filter(({ uses }) => uses === 0), chosen.filter(({ uses }) => uses > 0)];
      await Promise.all(free.map(remove));
      if (used.length === 0) return;
      throw foreignError(
        "request/malformed",
        name === ""
          ? `Failed to unregister the following system shared memory regions: ${used
              .toSorted(byName)
              .map((region) => `${region.name} ,`)
              .join("")}`
          : `Cannot unregister shared memory region '${name}', it is currently in use.`,
      );
    },
    use: (part) => {
      const region = regions.get(part.region);
      if (region === undefined) throw unknownRegion(part.region);
      const last = region.byte_size - 1;
      if (part.offset > last) throw outside(part, "offset");
      const end = part.offset + part.byteSize - 1;
      if (end < 0 || end > last) throw outside(part, "offset + byte size");
      region.uses++;
      return region;
    },
    isEmpty: () => regions.size === 0,
    close: async () => {
      await Promise.all([...regions.values()].map(remove));
    },
  };
};

const statusOf = ({ name, key, offset, byte_size }: Region): RegionStatus => ({
  name,
  key,
  offset,
  byte_size,
});

const byName = (one: Region, other: Region): number =>
  Buffer.compare(Buffer.from(one.name), Buffer.from(other.name));

const outside = ({ region }: RegionPart, what: string): PipelineError =>
  foreignError("request/invalid", `Invalid ${what} for shared memory region: '${region}'`);

/**
 * Opens an object as `shm_open` of glibc does: slashes at the start of its name are ignored, other slashes and links are
 * refused.
 */
const openObject = async (folder: string, key: string): Promise<FileHandle> => {
  const unable = (cause?: unknown): PipelineError =>
    foreignError("request/malformed", `Unable to open shared memory region: '${key}'`, { cause });
  const file = key.split("\0", 1)[0]?.replace(/^\/+/, "") ?? "";
  if (file === "" || file.includes("/")) throw unable();
  const { O_RDWR, O_NOFOLLOW, O_NONBLOCK } = constants;
  try {
    // Opened without blocking, because the other end of a pipe may never open.
    return await open(join(folder, file), O_RDWR | O_NOFOLLOW | O_NONBLOCK);
  } catch (cause) {
    throw unable(cause);
  }
};

/** Triton maps regions, which must begin at a page and cannot be empty. */
const pageSize = 4096;

/** @throws PipelineError `request/invalid` if an object of this size does not contain the region. */
const requirePlace = (name: string, offset: number, byteSize: number, size: number): void => {
  const refuse = (why: string): PipelineError =>
    foreignError("request/invalid", `failed to register shared memory region '${name}': ${why}`);
  if (offset + byteSize > size) throw refuse("invalid args");
  if (byteSize === 0 || offset % pageSize !== 0)
    throw refuse("unable to process address spaceInvalid argument");
};
