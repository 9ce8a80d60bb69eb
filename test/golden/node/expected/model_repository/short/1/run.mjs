"use strict";
const run = ({ text }) => ({ text: text.slice(0, 10) });
export { run };
