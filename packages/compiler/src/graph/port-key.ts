import type { Port } from "@tritype/core";

/** A key that is equal for equal ports. It is needed because a port is an object, and `Map` and `Set` compare objects by identity. */
export const portKey = ({ node, output }: Port): string => JSON.stringify([node, output]);
