import { expect, test } from "vitest";
import { verdictRows } from "./verdict-rows.ts";

const passes = undefined;

test("tests that pass on both servers share a row; all others have their own", () => {
  const theirs = new Map([
    ["a", passes],
    ["b", passes],
    ["c", "no  c"],
    ["d", passes],
    ["e", "no e"],
    ["f", passes],
  ]);
  const ours = new Map([
    ["a", passes],
    ["b", passes],
    ["c", "no c, either"],
    ["d", "no\nd"],
    ["e", passes],
    ["f", "no f"],
  ]);
  expect(verdictRows("file", theirs, ours, { f: "a reason" })).toEqual([
    ["file: 2 of 6", "pass", "pass", "alike"],
    ["`c`", "fails", "fails", "alike"],
    ["`d`", "passes", "fails", "DIFFERS: no d"],
    ["`e`", "fails", "passes", "DIFFERS: no e"],
    ["`f`", "passes", "fails", "a reason"],
  ]);
});

test("tests that ran on one server only", () => {
  const [one, none] = [new Map([["a", passes]]), new Map<string, undefined>()];
  expect(verdictRows("file", one, none)).toEqual([["`a`", "passes", "did not run", "DIFFERS: did not run"]]);
  expect(verdictRows("file", none, one)).toEqual([["`a`", "did not run", "passes", "DIFFERS: did not run"]]);
  expect(verdictRows("file", new Map([["a", "no a"]]), none)).toEqual([
    ["`a`", "fails", "did not run", "DIFFERS: did not run"],
  ]);
});
