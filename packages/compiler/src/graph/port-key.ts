import type { Port } from "@tritype/core";

/** Equal for equal ports: a port is an object, and `Map` and `Set` compare objects by identity. */
export const portKey = ({ node, output }: Port): string => JSON.stringify([node, output]);
