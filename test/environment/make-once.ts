import { existsSync } from "node:fs";
import { mkdir, rename, rm } from "node:fs/promises";

/**
 * Makes a folder if it does not exist yet. `fill` writes into a staging folder, which is then renamed, so that no process
 * sees half a folder; if two processes make it at the same time, the first one's stays.
 */
export const makeOnce = async (folder: string, fill: (staging: string) => Promise<void>): Promise<void> => {
  if (existsSync(folder)) return;
  const staging = `${folder}.${process.pid}.part`;
  await rm(staging, { recursive: true, force: true });
  await mkdir(staging, { recursive: true });
  await fill(staging);
  await rename(staging, folder).catch(async (error: unknown) => {
    await rm(staging, { recursive: true, force: true });
    if (!existsSync(folder)) throw error;
  });
};
