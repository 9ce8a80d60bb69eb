import type { Slot } from "./sequence-slot.ts";

/** The slots without a sequence. */
export interface FreeSlots {
  /** Takes the slot with the lowest number, so that batches stay small and all instances get sequences. */
  take(): Slot | undefined;
  put(slot: Slot): void;
}

/** Slots are created when they are first needed, because a model may have thousands. */
export const createFreeSlots = (instances: number, perInstance: number): FreeSlots => {
  const rank = ({ instance, index }: Slot): number => index * instances + instance;
  /** Their ranks descend, and are all below those of slots that were never taken. */
  const returned: Slot[] = [];
  let taken = 0;
  const make = (): Slot => {
    const [instance, index] = [taken % instances, Math.floor(taken / instances)];
    taken++;
    return { instance, index, queue: [], busy: false, state: undefined };
  };
  return {
    take: () => returned.pop() ?? (taken < instances * perInstance ? make() : undefined),
    put: (slot) => {
      let [low, high] = [0, returned.length];
      while (low < high) {
        const middle = (low + high) >> 1;
        if (rank(returned[middle] as Slot) > rank(slot)) low = middle + 1;
        else high = middle;
      }
      returned.splice(low, 0, slot);
    },
  };
};
