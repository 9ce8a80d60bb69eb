import { temporaryFolder } from "@tritype/wheels";
import type { Endpoint } from "./endpoint.ts";

/**
 * An endpoint that serves a temporary folder, which `open` fills; the folder is removed when the endpoint is closed.
 * @param prefix Prefix of the folder's name.
 */
export const openTemporary = async <E extends Endpoint>(
  prefix: string,
  open: (folder: string) => Promise<E>,
): Promise<E> => {
  const { path, remove } = temporaryFolder(prefix);
  try {
    const endpoint = await open(path);
    return { ...endpoint, close: () => endpoint.close().finally(remove) };
  } catch (error) {
    remove();
    throw error;
  }
};
