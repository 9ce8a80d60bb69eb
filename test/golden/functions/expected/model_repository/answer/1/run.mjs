"use strict";
const labels = new Map([
    ["LABEL_0", "negative"],
    ["LABEL_1", "neutral"],
    ["LABEL_2", "positive"],
]);
"use strict";
const rounded = (score) => Math.round(score * 100) / 100;
"use strict";
const run = ({ label, score }) => ({
    answer: { label: labels.get(label) ?? "unknown", score: rounded(score) },
});
function runOnJson(row) {
  const made = run({ ...row });
  return { ...made, "answer": made["answer"] === undefined ? undefined : JSON.stringify(made["answer"]) };
}
export { runOnJson as run };
