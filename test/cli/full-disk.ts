import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { sep } from "node:path";

/**
 * Runs `work` in this process as if the disk of `folder` had `free` bytes left. As in the kernel, a write that exceeds them
 * fails with ENOSPC and leaves a file with the bytes that fit.
 */
export const onFullDisk = async <T>(folder: string, free: number, work: () => Promise<T>): Promise<T> => {
  const real = { ...fs };
  const paths = new Map<unknown, string>();
  let left = free;
  const below = (place: unknown): string | undefined => {
    const path = paths.get(place) ?? (typeof place === "string" ? place : undefined);
    return path?.startsWith(folder + sep) === true ? path : undefined;
  };
  const refuse = (call: string, path: string): never => {
    throw Object.assign(new Error(`ENOSPC: no space left on device, ${call}`), {
      code: "ENOSPC",
      syscall: call,
      path,
    });
  };
  const full = {
    openSync: ((path, ...rest) => {
      const file = real.openSync(path, ...rest);
      paths.set(file, String(path));
      return file;
    }) as typeof fs.openSync,
    writeFileSync: ((place, content, options) => {
      const path = below(place);
      const bytes = Buffer.from(content as string);
      real.writeFileSync(place, path === undefined ? content : bytes.subarray(0, left), options);
      if (path === undefined) return;
      if (bytes.length > left) refuse("write", path);
      left -= bytes.length;
    }) as typeof fs.writeFileSync,
    copyFileSync: ((from, to, mode) => {
      const size = real.statSync(from).size;
      if (below(to) !== undefined && size > left) {
        real.writeFileSync(to, real.readFileSync(from).subarray(0, left));
        refuse("copyfile", String(to));
      }
      if (below(to) !== undefined) left -= size;
      real.copyFileSync(from, to, mode);
    }) as typeof fs.copyFileSync,
  };
  try {
    Object.assign(fs, full);
    syncBuiltinESMExports();
    return await work();
  } finally {
    for (const name of Object.keys(full) as (keyof typeof full)[]) Object.assign(fs, { [name]: real[name] });
    syncBuiltinESMExports();
  }
};
