import type { RawRequest } from "../raw-request.ts";
import { infer, type Requests } from "./infer-message.ts";

const input = (rest: string): string => `{"inputs":[{"name":"X","datatype":"INT32","shape":[1,1],${rest}}]}`;
const element = (text: string): string => input(`"data":[${text}]`);
const float = (text: string): string =>
  `{"inputs":[{"name":"X","datatype":"FP64","shape":[1,1],"data":[${text}]}]}`;
const wide = (dtype: "INT64" | "UINT64", text: string): string =>
  `{"inputs":[{"name":"X","datatype":"${dtype}","shape":[1,1],"data":[${text}]}]}`;
const string = (text: string): string =>
  `{"inputs":[{"name":"X","datatype":"BYTES","shape":[1,1],"data":["${text}"]}]}`;

const ofModel = (model: string, texts: Readonly<Record<string, string>>): Requests =>
  Object.fromEntries(Object.entries(texts).map(([name, body]) => [name, infer(model, body)]));

/** A request whose body cannot be a string. */
const written = (head: string, element: Uint8Array, tail: string): RawRequest => ({
  path: "/v2/models/echo_bytes/infer",
  headers: {},
  body: Buffer.concat([Buffer.from(head), element, Buffer.from(tail)]),
});
const textHead = '{"inputs":[{"name":"X","datatype":"BYTES","shape":[1],"data":["';

/** Bodies that JSON.stringify would not write: text that is not JSON, and JSON in an unusual form. */
export const jsonTexts: Requests = {
  ...ofModel("echo_int32", {
    "white space alone": " \n\t",
    "a NUL alone": "\0",
    "a NUL at the end": `${element("1")}\0`,
    "a NUL and more at the end": `${element("1")} \0x`,
    "a NUL in the middle": '{"inputs":\0[]}',
    "white space around": ` \r\n\t${element("1")}\n `,
    "a form feed": `\f${element("1")}`,
    "a comment": `/* x */ ${element("1")}`,
    "a word": "nothing",
    "half a word": "nul",
    "a number alone": "5",
    "a string alone": '"x"',
    "two documents": `${element("1")}${element("1")}`,
    "a comma at the end of an object": '{"inputs":[],}',
    "a comma at the end of a list": '{"inputs":[1,]}',
    "two commas": '{"inputs":[1,,2]}',
    "no comma": '{"inputs":[1 2]}',
    "no comma between members": '{"id":"a" "inputs":[]}',
    "no colon": '{"inputs" []}',
    "a name without quotes": "{inputs:[]}",
    "single quotes": "{'inputs':[]}",
    "an open object": '{"inputs":[]',
    "an open list": '{"inputs":[',
    "an open string": '{"inputs',
    "an open escape": '{"inputs\\',
    "a closing bracket too many": '{"inputs":[]}]',
    "brackets that cross": '{"inputs":[}]',
    "an unknown escape": '{"id":"\\x41","inputs":[]}',
    "a short \\u": '{"id":"\\u12","inputs":[]}',
    "a \\u that is not hex": '{"id":"\\u12g4","inputs":[]}',
    "a control character": '{"id":"a\u0001b","inputs":[]}',
    "a newline in a string": '{"id":"a\nb","inputs":[]}',
    "a low surrogate alone": '{"id":"\\udc00","inputs":[]}',
    "a high surrogate twice": '{"id":"\\ud800\\ud800","inputs":[]}',
    "an empty object": "{}",
    "an empty list": "[]",
    "a plus sign": element("+1"),
    "a zero in front": element("01"),
    "a point in front": element(".5"),
    "a point at the end": element("1."),
    "an exponent without digits": element("1e"),
    "an exponent with a sign alone": element("1e+"),
    "a minus alone": element("-"),
    "minus zero": element("-0"),
    hexadecimal: element("0x10"),
    "NaN for an int": element("NaN"),
    "a fraction of zero for an int": element("1.0"),
    "a number too large for a double": element("1e400"),
    "an integer of forty digits": element("1".repeat(40)),
    "true in capitals": element("True"),
    "nesting of 99": `${'{"x":'.repeat(99)}1${"}".repeat(99)}`,
    "data nested in 99 lists": input(`"data":${"[".repeat(99)}1${"]".repeat(99)}`),
    "inputs twice": `{"inputs":[],${element("1").slice(1)}`,
    "inputs twice, empty the second time": `${element("1").slice(0, -1)},"inputs":[]}`,
    "an escaped name twice": `${element("1").slice(0, -1)},"inp\\u0075ts":[]}`,
    "a datatype twice": input('"data":[1],"datatype":"FP32"'),
    "a shape twice": input('"data":[1],"shape":[2,1]'),
    "data twice": input('"data":[1],"data":[2]'),
    "data twice, and an object in the first": input('"data":[{"a":1}],"data":[2]'),
    "parameters twice": `{"parameters":{"binary_data_output":true},"parameters":{},${element("1").slice(1)}`,
    "a parameter twice": `{"parameters":{"binary_data_output":true,"binary_data_output":false},${element("1").slice(1)}`,
    "a repeated name next to a string with a quotation mark": `{"id":"a\\":","id":"b",${element("1").slice(1)}`,
    "a member twice": `{"id":"a","id":"b",${element("1").slice(1)}`,
    "an empty member": `{"":1,${element("1").slice(1)}`,
    "a member called __proto__": `{"__proto__":{"id":"x"},${element("1").slice(1)}`,
    "parameters called __proto__": `{"parameters":{"__proto__":1,"constructor":2},${element("1").slice(1)}`,
    "an input called __proto__":
      '{"inputs":[{"name":"__proto__","datatype":"INT32","shape":[1,1],"data":[1]}]}',
    "an output called constructor": `{"outputs":[{"name":"constructor"}],${element("1").slice(1)}`,
  }),
  ...ofModel("echo_fp64", {
    NaN: float("NaN"),
    Infinity: float("Infinity"),
    "minus Infinity": float("-Infinity"),
    Inf: float("Inf"),
    "minus Inf": float("-Inf"),
    "minus NaN": float("-NaN"),
    "nan in small letters": float("nan"),
    "half of Infinity": float("Infin"),
    "a float too large": float("1e309"),
    "a float too small": float("1e-400"),
    "the largest float": float("1.7976931348623157e308"),
    "a float of many digits": float("0.1000000000000000055511151231257827021181583404541015625"),
    "a float with an exponent in capitals": float("1E5"),
    "a float with plus in the exponent": float("1e+5"),
    "an integer as a float": float("9007199254740993"),
    "minus zero as a float": float("-0.0"),
    "minus zero as an integer": float("-0"),
    "an integer of thirty digits as a float": float("123456789012345678901234567890"),
  }),
  ...ofModel("echo_int64", {
    "the largest int64": wide("INT64", "9223372036854775807"),
    "the smallest int64": wide("INT64", "-9223372036854775808"),
    "beyond the largest int64": wide("INT64", "9223372036854775808"),
    "beyond the smallest int64": wide("INT64", "-9223372036854775809"),
  }),
  ...ofModel("echo_uint64", {
    "the largest uint64": wide("UINT64", "18446744073709551615"),
    "beyond the largest uint64": wide("UINT64", "18446744073709551616"),
  }),
  ...ofModel("echo_bytes", {
    "every escape": string('\\"\\\\\\/\\b\\f\\n\\r\\t\\u00e9'),
    "an escaped pair": string("\\ud83d\\ude00"),
    "a DEL": string("\u007f"),
    "U+2028": string("\u2028"),
    "U+FFFF": string("\uffff"),
  }),
  "bytes in a string that are no UTF-8": written(textHead, Buffer.from([0xff, 0xfe]), '"]}]}'),
  "half a surrogate pair": written(textHead, Buffer.from("\\ud800"), '"]}]}'),
  "a whole surrogate pair": written(textHead, Buffer.from("\\ud83d\\ude00"), '"]}]}'),
  "a byte order mark": written("\ufeff", Buffer.from(textHead), 'a"]}]}'),
  "a key given twice": written(
    '{"inputs":[{"name":"X","name":"Z",',
    Buffer.from('"datatype":"BYTES","shape":[1],'),
    '"data":["a"]}]}',
  ),
};
