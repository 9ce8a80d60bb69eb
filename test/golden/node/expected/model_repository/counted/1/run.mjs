import { createRequire as requireOf } from "node:module"; const require = requireOf(import.meta.url);
var __create = Object.create;
var __defProp = Object.defineProperty;
var __getOwnPropDesc = Object.getOwnPropertyDescriptor;
var __getOwnPropNames = Object.getOwnPropertyNames;
var __getProtoOf = Object.getPrototypeOf;
var __hasOwnProp = Object.prototype.hasOwnProperty;

var __commonJS = (cb, mod) => function __require() {
  try {
    return mod || (0, cb[__getOwnPropNames(cb)[0]])((mod = { exports: {} }).exports, mod), mod.exports;
  } catch (e) {
    throw mod = 0, e;
  }
};
var __copyProps = (to, from, except, desc) => {
  if (from && typeof from === "object" || typeof from === "function") {
    for (let key of __getOwnPropNames(from))
      if (!__hasOwnProp.call(to, key) && key !== except)
        __defProp(to, key, { get: () => from[key], enumerable: !(desc = __getOwnPropDesc(from, key)) || desc.enumerable });
  }
  return to;
};
var __toESM = (mod, isNodeMode, target) => (target = mod != null ? __create(__getProtoOf(mod)) : {}, __copyProps(
  // If the importer is in node compatibility mode or this is not an ESM
  // file that has been converted to a CommonJS file using a Babel-
  // compatible transform (i.e. "__esModule" has not been set), then set
  // "default" to the CommonJS "module.exports" for node compatibility.
  __defProp(target, "default", { value: mod, enumerable: true }),
  mod
));

// ../../../node_modules/.pnpm/picocolors@1.1.1/node_modules/picocolors/picocolors.js
var require_picocolors = __commonJS({
  "../../../node_modules/.pnpm/picocolors@1.1.1/node_modules/picocolors/picocolors.js"(exports, module) {
    var p = process || {};
    var argv = p.argv || [];
    var env = p.env || {};
    var isColorSupported = !(!!env.NO_COLOR || argv.includes("--no-color")) && (!!env.FORCE_COLOR || argv.includes("--color") || p.platform === "win32" || (p.stdout || {}).isTTY && env.TERM !== "dumb" || !!env.CI);
    var formatter =                        (open, close, replace = open) => (input) => {
      let string = "" + input, index = string.indexOf(close, open.length);
      return ~index ? open + replaceClose(string, close, replace, index) + close : open + string + close;
    }              ;
    var replaceClose =                        (string, close, replace, index) => {
      let result = "", cursor = 0;
      do {
        result += string.substring(cursor, index) + replace;
        cursor = index + close.length;
        index = string.indexOf(close, cursor);
      } while (~index);
      return result + string.substring(cursor);
    }                 ;
    var createColors =                        (enabled = isColorSupported) => {
      let f = enabled ? formatter : () => String;
      return {
        isColorSupported: enabled,
        reset: f("\x1B[0m", "\x1B[0m"),
        bold: f("\x1B[1m", "\x1B[22m", "\x1B[22m\x1B[1m"),
        dim: f("\x1B[2m", "\x1B[22m", "\x1B[22m\x1B[2m"),
        italic: f("\x1B[3m", "\x1B[23m"),
        underline: f("\x1B[4m", "\x1B[24m"),
        inverse: f("\x1B[7m", "\x1B[27m"),
        hidden: f("\x1B[8m", "\x1B[28m"),
        strikethrough: f("\x1B[9m", "\x1B[29m"),
        black: f("\x1B[30m", "\x1B[39m"),
        red: f("\x1B[31m", "\x1B[39m"),
        green: f("\x1B[32m", "\x1B[39m"),
        yellow: f("\x1B[33m", "\x1B[39m"),
        blue: f("\x1B[34m", "\x1B[39m"),
        magenta: f("\x1B[35m", "\x1B[39m"),
        cyan: f("\x1B[36m", "\x1B[39m"),
        white: f("\x1B[37m", "\x1B[39m"),
        gray: f("\x1B[90m", "\x1B[39m"),
        bgBlack: f("\x1B[40m", "\x1B[49m"),
        bgRed: f("\x1B[41m", "\x1B[49m"),
        bgGreen: f("\x1B[42m", "\x1B[49m"),
        bgYellow: f("\x1B[43m", "\x1B[49m"),
        bgBlue: f("\x1B[44m", "\x1B[49m"),
        bgMagenta: f("\x1B[45m", "\x1B[49m"),
        bgCyan: f("\x1B[46m", "\x1B[49m"),
        bgWhite: f("\x1B[47m", "\x1B[49m"),
        blackBright: f("\x1B[90m", "\x1B[39m"),
        redBright: f("\x1B[91m", "\x1B[39m"),
        greenBright: f("\x1B[92m", "\x1B[39m"),
        yellowBright: f("\x1B[93m", "\x1B[39m"),
        blueBright: f("\x1B[94m", "\x1B[39m"),
        magentaBright: f("\x1B[95m", "\x1B[39m"),
        cyanBright: f("\x1B[96m", "\x1B[39m"),
        whiteBright: f("\x1B[97m", "\x1B[39m"),
        bgBlackBright: f("\x1B[100m", "\x1B[49m"),
        bgRedBright: f("\x1B[101m", "\x1B[49m"),
        bgGreenBright: f("\x1B[102m", "\x1B[49m"),
        bgYellowBright: f("\x1B[103m", "\x1B[49m"),
        bgBlueBright: f("\x1B[104m", "\x1B[49m"),
        bgMagentaBright: f("\x1B[105m", "\x1B[49m"),
        bgCyanBright: f("\x1B[106m", "\x1B[49m"),
        bgWhiteBright: f("\x1B[107m", "\x1B[49m")
      };
    }                 ;
    module.exports = createColors();
    module.exports.createColors = createColors;
  }
});

// tritype:tritype-registry
var functions = /* @__PURE__ */ new Map();
var isLoading = true;
var anything = /* @__PURE__ */ new Proxy(function() {
}, {
  get(target, key) {
    if (key === "then") return void 0;
    if (key === Symbol.iterator) return [][key];
    if (key === Symbol.toPrimitive) return () => "";
    if (key === Symbol.hasInstance) return () => false;
    return typeof key === "symbol" ? void 0 : called();
  },
  set() {
    return true;
  },
  apply: called,
  construct: called
});
function called() {
  if (isLoading) return anything;
  throw new Error("steps, ensembles and other values of tritype cannot be used while a step runs; a flow calls the steps in its `uses` through the second parameter of `run`");
}

function define({ name, run: run2 }) {
  if (isLoading) functions.set(name, run2);
  return called();
}

function functionOf(name, file) {
  isLoading = false;
  const run2 = functions.get(name);
  if (typeof run2 === "function") return run2;
  throw new Error(`step "${name}" is not defined when ${file} is loaded`);
}


// pipeline.ts
var import_picocolors = __toESM(require_picocolors(), 1);

// units.ts
var Counter = class {
  


  #counts = /* @__PURE__ */ new Map();
  add(unit) {
    const count = (this.#counts.get(unit) ?? 0) + 1;
    this.#counts.set(unit, count);
    return count;
  }
};

// pipeline.ts
var day = new Intl.DateTimeFormat("de", { dateStyle: "long", timeZone: "UTC" });
var counted = define({
  name: "counted",
  allow: { fsRead: ["/data/*"] },
  inputs: { text: /* @__PURE__ */ bytes("batch", 1), hours: /* @__PURE__ */ optional(/* @__PURE__ */ fp32("batch", 1)) },
  outputs: { days: /* @__PURE__ */ json() },
  run({ text: { data, shape }, hours }) {
    const counter = new Counter();
    const days = data.map((text, row) => {
      const time = Date.parse(text) + (hours?.data[row] ?? 0) * 36e5;
      const name = import_picocolors.default.isColorSupported ? day.format(time) : new Date(time).toISOString();
      return { [name]: counter.add(name) };
    });
    return { days: { data: days, shape } };
  },
  timeLimit: "500ms"
});
// @__NO_SIDE_EFFECTS__
function bytes(options) {
  return anything(options);
}

// @__NO_SIDE_EFFECTS__
function fp32(options) {
  return anything(options);
}

// @__NO_SIDE_EFFECTS__
function json(options) {
  return anything(options);
}

// @__NO_SIDE_EFFECTS__
function optional(options) {
  return anything(options);
}


// tritype:entry
var run = functionOf("counted", "pipeline.ts");
export {
  run
};
//# sourceMappingURL=run.mjs.map
