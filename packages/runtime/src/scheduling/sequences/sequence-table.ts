import type { SequenceId } from "../../requests/sequence-place.ts";
import type { Clock } from "../clock.ts";
import type { FreeSlots } from "./free-slots.ts";
import type { Entry, ReleaseSlot, Slot } from "./sequence-slot.ts";

/** Records which sequences exist, in which slots, and which are waiting for one. */
export interface SequenceTable {
  knows(id: SequenceId): boolean;
  /** Adds a request of a known sequence, or the start of a new one. @param timeout Microseconds in the backlog; 0 for no limit. */
  add(entry: Entry, timeout: number): void;
  readonly release: ReleaseSlot;
  /** Ends a sequence once its waiting requests are done. */
  end(id: SequenceId): void;
  /** Ends every sequence, existing or new, once its waiting requests are done. */
  endAll(): void;
  /** Stops the timers. */
  close(): void;
}

export interface SequenceTableOptions {
  readonly free: FreeSlots;
  readonly clock: Clock;
  /** Microseconds without a request after which a sequence in a slot ends. */
  readonly idle: number;
  readonly grown: (slot: Slot) => void;
  readonly cancel: (entry: Entry) => void;
  /** Called when the entry's sequence has waited too long for a slot. */
  readonly expire: (entry: Entry) => void;
}

/** A sequence without a slot. */
interface Backlog {
  readonly id: SequenceId;
  readonly entries: Entry[];
  expiresAt: number;
}

/** A sequence in the backlog is never idle. Once it has a slot, its idle time is checked again after this many microseconds. */
const revisit = 50_000;

export const createSequenceTable = (options: SequenceTableOptions): SequenceTable => {
  const { free, clock, idle, grown, cancel, expire } = options;
  const assigned = new Map<SequenceId, Slot>();
  /** Sequences that have not ended, so further requests join them. */
  const joinable = new Map<SequenceId, Backlog>();
  const backlogs = new Set<Backlog>();
  const expiring = new Set<Backlog>();
  /** Sequence → time of its last request, oldest first. */
  const seen = new Map<SequenceId, number>();
  let over = false;
  let wakeAt = Number.POSITIVE_INFINITY;
  let callOff: (() => void) | undefined;

  const wake = (time: number): void => {
    if (time >= wakeAt) return;
    callOff?.();
    wakeAt = time;
    callOff = clock.later(time, sweep);
  };

  const sweep = (): void => {
    wakeAt = Number.POSITIVE_INFINITY;
    const now = clock.now();
    endIdle(now);
    for (const backlog of expiring)
      if (backlog.expiresAt > now) wake(backlog.expiresAt);
      else {
        leaveBacklog(backlog);
        for (const entry of backlog.entries) expire(entry);
      }
  };

  const endIdle = (now: number): void => {
    for (const [id, time] of seen) {
      if (time + idle > now) {
        wake(time + idle);
        return;
      }
      const slot = assigned.get(id);
      if (slot !== undefined) end(id, slot);
      else if (joinable.has(id)) wake(now + revisit);
      else seen.delete(id);
    }
  };

  const end = (id: SequenceId, slot: Slot): void => {
    assigned.delete(id);
    seen.delete(id);
    slot.queue.push("end");
    grown(slot);
  };

  const leaveBacklog = (backlog: Backlog): void => {
    backlogs.delete(backlog);
    expiring.delete(backlog);
    if (joinable.get(backlog.id) === backlog) joinable.delete(backlog.id);
  };

  const enterBacklog = (entry: Entry): Backlog => {
    const backlog = { id: entry.place.id, entries: [], expiresAt: Number.POSITIVE_INFINITY };
    backlogs.add(backlog);
    joinable.set(backlog.id, backlog);
    return backlog;
  };

  const release: ReleaseSlot = (slot) => {
    const rest = slot.queue.filter((entry) => entry !== "end");
    slot.queue = [];
    for (const entry of rest) {
      const { id } = entry.place;
      if (assigned.get(id) === slot) {
        assigned.delete(id);
        seen.delete(id);
      }
      cancel(entry);
    }
    for (const backlog of backlogs) {
      const goesOn = joinable.get(backlog.id) === backlog;
      leaveBacklog(backlog);
      if (!backlog.entries.some((entry) => entry.cancelled())) {
        if (goesOn && !over) assigned.set(backlog.id, slot);
        slot.queue = goesOn && over ? [...backlog.entries, "end"] : backlog.entries;
        return;
      }
      if (goesOn) seen.delete(backlog.id);
      for (const entry of backlog.entries) cancel(entry);
    }
    free.put(slot);
  };

  return {
    knows: (id) => assigned.has(id) || joinable.has(id),
    add: (entry, timeout) => {
      const { id, ends } = entry.place;
      const now = clock.now();
      seen.delete(id);
      if (!ends) {
        seen.set(id, now);
        wake(now + idle);
      }
      const known = assigned.get(id);
      const slot = known ?? (joinable.has(id) ? undefined : free.take());
      if (slot !== undefined) {
        if (!ends) assigned.set(id, slot);
        else assigned.delete(id);
        slot.queue.push(entry);
        grown(slot);
        return;
      }
      const backlog = joinable.get(id) ?? enterBacklog(entry);
      backlog.entries.push(entry);
      if (ends) joinable.delete(id);
      if (timeout === 0) return;
      backlog.expiresAt = Math.min(backlog.expiresAt, now + timeout);
      expiring.add(backlog);
      wake(backlog.expiresAt);
    },
    release,
    end: (id) => {
      const slot = assigned.get(id);
      if (slot !== undefined) end(id, slot);
    },
    endAll: () => {
      over = true;
      for (const [id, slot] of assigned) end(id, slot);
    },
    close: () => callOff?.(),
  };
};
