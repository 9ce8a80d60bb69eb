/**
 * Multinomial logistic regression by full-batch gradient descent; the same rows give the same weights.
 * @param {readonly (readonly number[])[]} rows @param {readonly number[]} labels
 * @param {{ readonly classes: number, readonly decay: number, readonly steps: number, readonly rate: number }} options
 */
export const trainLinear = (rows, labels, { classes, decay, steps, rate }) => {
  const size = rows[0].length;
  const weights = Array.from({ length: classes }, () => new Float64Array(size));
  const bias = new Float64Array(classes);
  for (let step = 0; step < steps; step++) {
    const gradient = weights.map((w) => w.map((x) => decay * x));
    const biasGradient = new Float64Array(classes);
    rows.forEach((row, r) => {
      const probabilities = softmax(scoresOf({ weights, bias }, row));
      for (let k = 0; k < classes; k++) {
        const error = (probabilities[k] - (labels[r] === k ? 1 : 0)) / rows.length;
        biasGradient[k] += error;
        for (let i = 0; i < size; i++) gradient[k][i] += error * row[i];
      }
    });
    for (let k = 0; k < classes; k++) {
      bias[k] -= rate * biasGradient[k];
      for (let i = 0; i < size; i++) weights[k][i] -= rate * gradient[k][i];
    }
  }
  return { weights, bias };
};

export const scoresOf = ({ weights, bias }, row) =>
  weights.map((w, k) => w.reduce((sum, x, i) => sum + x * row[i], bias[k]));

export const softmax = (scores) => {
  const most = Math.max(...scores);
  const powers = scores.map((x) => Math.exp(x - most));
  const sum = powers.reduce((a, b) => a + b, 0);
  return powers.map((x) => x / sum);
};

export const argmax = (scores) => scores.indexOf(Math.max(...scores));
