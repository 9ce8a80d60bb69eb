import {
  pyAssign,
  pyBinary,
  pyCall,
  pyDo,
  pyIf,
  pyInt,
  pyList,
  pyMethod,
  pyName,
  pyRun,
  pySlice,
} from "../python/build.ts";
import type { PyExpression } from "../python/syntax.ts";
import { argument, calls, lowered, receiverOf, statementOnly } from "./arguments.ts";
import type { Rows, TranslatedRow } from "./row.ts";

const changing = { changes: true, resizes: true } as const;

/** `pop` and `shift`, which return undefined for an empty array. */
const take = (fromEnd: boolean): TranslatedRow => ({
  args: [0, 0],
  ...changing,
  lower: (call, lowering) =>
    lowering.hold(lowering.expression(receiverOf(call)), receiverOf(call).type, (first, again) =>
      pyIf(first, fromEnd ? pyMethod(again, "pop") : pyMethod(again, "pop", pyInt(0)), pyName("undefined")),
    ),
  statement(call, lowering) {
    const list = lowering.expression(receiverOf(call));
    const target = fromEnd ? pySlice(list, pyInt(-1)) : pySlice(list, undefined, pyInt(1));
    return [pyDo({ kind: "delete", target })];
  },
});

/** Array methods that change the array. */
export const arrayChanges: Rows = {
  push: {
    ...calls("push", [0, Infinity], changing),
    statement(call, lowering) {
      const list = lowering.expression(receiverOf(call));
      const [only, ...more] = call.args;
      if (only === undefined) return [];
      if (more.length === 0 && only.spread)
        return [pyRun(pyMethod(list, "extend", lowering.iterable(only.value)))];
      if (more.length === 0) return [pyRun(pyMethod(list, "append", lowering.expression(only.value)))];
      return [pyRun(pyMethod(list, "extend", pyList(lowering.args(call))))];
    },
  },
  unshift: {
    args: [0, Infinity],
    ...changing,
    lower: statementOnly("unshift"),
    statement: (call, lowering) => [
      pyAssign(
        pySlice(lowering.expression(receiverOf(call)), pyInt(0), pyInt(0)),
        pyList(lowering.args(call)),
      ),
    ],
  },
  pop: take(true),
  shift: take(false),
  splice: calls("splice", [1, Infinity], changing),
  reverse: {
    args: [0, 0],
    changes: true,
    lower(call, lowering) {
      const receiver = receiverOf(call);
      const reversed = (list: PyExpression): PyExpression => pySlice(list, undefined, undefined, pyInt(-1));
      if (lowering.isFresh(receiver)) return reversed(lowering.expression(receiver));
      return lowering.hold(lowering.expression(receiver), receiver.type, (first, again) =>
        pyCall("put_all", first, reversed(again)),
      );
    },
    statement: (call, lowering) => [pyRun(pyMethod(lowering.expression(receiverOf(call)), "reverse"))],
  },
  fill: {
    args: [1, 3],
    changes: true,
    lower(call, lowering) {
      const receiver = receiverOf(call);
      const [filling, ...bounds] = call.args.map(({ value }) => value);
      const isNew = receiver.kind === "invocation" && receiver.row === "new Array";
      if (filling === undefined || !isNew || bounds.length > 0)
        return pyCall("fill_typed", ...lowered(call, lowering));
      const count = lowering.num(argument(receiver, 0));
      const [value, size] = [lowering.expression(filling), lowering.expression(argument(receiver, 0))];
      return count.kind === "int" && count.low >= 0
        ? pyBinary("*", pyList([value]), size)
        : pyCall("new_array", value, size);
    },
  },
  copyWithin: { refuse: "function/built-in", why: "copying within an array", instead: "`slice` and spread" },
};
