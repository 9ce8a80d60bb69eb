import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Endpoint } from "./endpoint.ts";

/**
 * An endpoint that serves a temporary folder, which `open` fills; the folder is removed when the endpoint is closed.
 * @param prefix Prefix of the folder's name.
 */
export const openTemporary = async <E extends Endpoint>(
  prefix: string,
  open: (folder: string) => Promise<E>,
): Promise<E> => {
  const folder = mkdtempSync(join(tmpdir(), prefix));
  const remove = (): void => rmSync(folder, { recursive: true, force: true });
  try {
    const endpoint = await open(folder);
    return { ...endpoint, close: () => endpoint.close().finally(remove) };
  } catch (error) {
    remove();
    throw error;
  }
};
