/** A limited number of slots; `free` waits for a free one. */
export const createRoom = (places: number) => {
  let taken = 0;
  let waiting: (() => void) | undefined;
  return {
    free: (): Promise<void> | undefined =>
      taken < places
        ? undefined
        : new Promise((resolve) => {
            waiting = resolve;
          }),
    take: (): void => void taken++,
    leave: (): void => {
      taken--;
      waiting?.();
      waiting = undefined;
    },
  };
};
