import { expect, test } from "vitest";
import { withNaturalNames } from "./natural-names.ts";

test("calls that set a function's name to the one it already has are removed; the columns of other code stay the same", () => {
  const text = `var __name = (target, value) => __defProp(target, "name", { value, configurable: true });
var lower = /* @__PURE__ */ __name((text) => text.toLowerCase(), "lower");
function step() {
}
__name(step, "step");
var Foo = class _Foo {
  static {
    __name(this, "Foo");
  }
};
var Bar = class {
  static {
    __name(this, "Bar");
  }
  field = /* @__PURE__ */ __name(() => 1, "field");
};
var options = { run: /* @__PURE__ */ __name(async () => 1, "run"), other: f(/* @__PURE__ */ __name(() => 1, "other")) };
var two2 = /* @__PURE__ */ __name(() => 2, "two"), own = f(/* @__PURE__ */ __name(function self() {
}, "self"));
`;
  const rest = withNaturalNames(text);
  expect(rest).toBe(`var __name = (target, value) => __defProp(target, "name", { value, configurable: true });
var lower = ${" ".repeat("/* @__PURE__ */ __name(".length)}(text) => text.toLowerCase()${" ".repeat(', "lower")'.length)};
function step() {
}

var Foo = class _Foo {
  static {
    __name(this, "Foo");
  }
};
var Bar = class {
${"  "}


  field = ${" ".repeat("/* @__PURE__ */ __name(".length)}() => 1${" ".repeat(', "field")'.length)};
};
var options = { run: ${" ".repeat("/* @__PURE__ */ __name(".length)}async () => 1${" ".repeat(', "run")'.length)}, other: f(/* @__PURE__ */ __name(() => 1, "other")) };
var two2 = /* @__PURE__ */ __name(() => 2, "two"), own = f(${" ".repeat("/* @__PURE__ */ __name(".length)}function self() {
}${" ".repeat(', "self")'.length)});
`);
});

test("without such calls, their helper is removed too", () => {
  const helper = "var __name = (target, value) => __defProp(target, value);\n";
  expect(withNaturalNames(`${helper}function a() {\n}\n__name(a, "a");\n`)).toBe("\nfunction a() {\n}\n\n");
  expect(withNaturalNames("var a = 1;\n")).toBe("var a = 1;\n");
});
