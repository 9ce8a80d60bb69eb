import type { Port } from "@tritype/core";

/** A key that is equal for equal ports. Needed because ports are objects, which `Map` and `Set` compare by identity. */
export const portKey = ({ node, output }: Port): string => JSON.stringify([node, output]);
