"use strict";
function run({ text }) {
    const { data, shape } = text;
    return { line: { data: data.map((line, row) => `${row + 1}/${data.length} ${line}`), shape } };
}
export { run };
