/** @returns A function that removes the fault. */
export const inject: (fault: string) => () => void;
