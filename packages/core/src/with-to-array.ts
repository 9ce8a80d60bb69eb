/** Adds `toArray`, which is not enumerable: `structuredClone` and `postMessage` fail for objects with enumerable functions. */
export const withToArray = <T extends object, A>(tensor: T, toArray: () => A): T & { toArray(): A } =>
  Object.defineProperty(tensor, "toArray", { value: toArray }) as T & { toArray(): A };
