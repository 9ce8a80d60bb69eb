import type { ModelRequest, ModelResult } from "../../backend.ts";
import type { ControlInputs } from "./control-inputs.ts";
import { type ImplicitState, zeros } from "./implicit-state.ts";
import type { Entry, Slot } from "./sequence-slot.ts";

/** A request as the model gets it in its slot. */
export interface SlotRequest {
  readonly request: ModelRequest;
  /** Stores the sequence's state, then sends the answer. */
  readonly answer: (result: ModelResult) => void;
}

/** Adds the inputs that the scheduler creates: controls and states. */
export interface SlotRequests {
  /** Must be called in the order of the sequence. */
  take(slot: Slot, entry: Entry): SlotRequest;
  /** A placeholder request in `slot`, for a row without a request in a batch that contains `first`. */
  empty(slot: Slot, first: ModelRequest): ModelRequest;
}

export const createSlotRequests = (controls: ControlInputs, states: ImplicitState): SlotRequests => {
  const stateOf = (slot: Slot, begins: boolean) => {
    if (begins || slot.state === undefined) slot.state = states.initial();
    return slot.state;
  };
  return {
    take: (slot, { request, place, ran }) => {
      const state = stateOf(slot, place.starts);
      const inputs = new Map([...request.inputs, ...controls.of(place), ...state]);
      return {
        request: { ...request, inputs, outputs: states.outputs(request.outputs) },
        answer: (result) => {
          states.keep(state, result);
          ran(result);
        },
      };
    },
    empty: (slot, { inputs }) => {
      const own = [...inputs].map(([name, { dtype, shape }]) => [name, zeros(dtype, shape)] as const);
      const state = states.empty(stateOf(slot, false));
      return {
        id: "",
        inputs: new Map([...own, ...controls.ofEmptyRow, ...state]),
        outputs: [],
        parameters: {},
      };
    },
  };
};
