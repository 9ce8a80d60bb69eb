import { expect, test } from "vitest";
import { requestBody } from "./request-body.ts";
import { copyOfSequence, placeAfter, sequenceParameters, type SequencePlace } from "./sequences.ts";
import { tensor } from "./view.fixture.ts";

const step = (number: string, place: SequencePlace, textIds: boolean) => ({
  body: requestBody(
    [tensor("x", 1)],
    new Map([["x", { kind: "rows", rows: [number] } as const]]),
    sequenceParameters(place, textIds),
  ),
  place,
});
const sent = (id: string, textIds = false): readonly unknown[] => {
  const steps = [
    step("1", { id, start: true, end: false }, textIds),
    step("2", { id, start: false, end: true }, textIds),
  ];
  return copyOfSequence(steps, 0.5).map(({ parts, headerLength }) => {
    expect(headerLength).toBe(String(parts[0]).length);
    return JSON.parse(String(parts[0]));
  });
};
const input = (number: number) => ({ name: "x", datatype: "FP32", shape: [1], data: [number] });

test("a copy of a sequence has another number as its id, and otherwise the same requests", () => {
  const sequence_id = 2 ** 30 * 1.5;
  expect(sent("7")).toEqual([
    { parameters: { sequence_id, sequence_start: true, sequence_end: false }, inputs: [input(1)] },
    { parameters: { sequence_id, sequence_start: false, sequence_end: true }, inputs: [input(2)] },
  ]);
});

test("an id that is a text keeps its length if it is not shorter than the number", () => {
  const sequence_id = "ward-3-1610612736";
  expect(sent("ward-3-patient-17")).toMatchObject([
    { parameters: { sequence_id } },
    { parameters: { sequence_id } },
  ]);
  expect(sent("a")).toMatchObject([{}, { parameters: { sequence_id: "1610612736" } }]);
});

test("an id of digits is a text for a model that takes texts, also in a copy", () => {
  const place = { id: "1", start: true, end: false };
  expect(sequenceParameters(place)["sequence_id"]).toBe(1);
  expect(sequenceParameters(place, true)["sequence_id"]).toBe("1");
  expect(sent("1", true)).toMatchObject([{}, { parameters: { sequence_id: "1610612736" } }]);
});

test("the next request of the form continues a sequence that has not ended", () => {
  expect(placeAfter({ id: "1", start: true, end: false })).toEqual({ id: "1", start: false, end: false });
  expect(placeAfter({ id: "1", start: false, end: true })).toEqual({ id: "1", start: true, end: true });
});
