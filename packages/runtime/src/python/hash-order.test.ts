import { expect, test } from "vitest";
import { hashOrder } from "./hash-order.ts";

// Recorded from a real Triton 24.10.
test.each([
  ["B,A", "B,A"],
  ["A,B,C", "A,C,B"],
  ["C,B,A", "C,A,B"],
  ["B,C", "B,C"],
  ["a,b,c,d", "a,d,b,c"],
  ["d,c,b,a", "d,a,c,b"],
  ["attention_mask,input_ids,token_type_ids", "attention_mask,input_ids,token_type_ids"],
  ["boxes,image,max_tokens,temperature,text", "boxes,image,max_tokens,temperature,text"],
])("%s are passed as %s", (sent, passed) => {
  expect(hashOrder(sent.split(",")).join()).toBe(passed);
});

test("the controls of a sequence come first, unless they share a bucket with an input", () => {
  const controls = ["START", "END", "READY", "CORRID"];
  expect(hashOrder(["A", "B"], controls).join()).toBe("CORRID,END,START,READY,A,B");
  expect(hashOrder(["B", "A"], controls).join()).toBe("CORRID,END,START,B,READY,A");
});
