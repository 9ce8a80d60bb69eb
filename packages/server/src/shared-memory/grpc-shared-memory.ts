import type { Regions } from "./regions.ts";
import { cudaStatus, refuseCuda } from "./cuda-regions.ts";

interface Named {
  readonly name: string;
}

interface RegisterMessage extends Named {
  readonly key: string;
  /** 64-bit integers are decimal text. */
  readonly offset: string;
  readonly byte_size: string;
}

/** The methods of Triton's service for shared memory. Each takes a decoded message and returns a plain object. */
export const sharedMemoryMethods = {
  SystemSharedMemoryStatus: (regions: Regions, { name }: Named): object => ({
    regions: Object.fromEntries(regions.status(name).map((region) => [region.name, region])),
  }),
  SystemSharedMemoryRegister: async (regions: Regions, message: RegisterMessage): Promise<object> => {
    const { name, key, offset, byte_size: byteSize } = message;
    await regions.register(name, key, Number(offset), Number(byteSize));
    return {};
  },
  SystemSharedMemoryUnregister: async (regions: Regions, { name }: Named): Promise<object> => {
    await regions.unregister(name);
    return {};
  },
  CudaSharedMemoryStatus: (regions: Regions, { name }: Named): object => {
    cudaStatus(regions, name);
    return {};
  },
  CudaSharedMemoryRegister: (_: Regions, { name }: Named): object => refuseCuda(name),
  CudaSharedMemoryUnregister: (): object => ({}),
} as const;
