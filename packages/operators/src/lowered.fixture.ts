/** The nodes that make the run fail if x0 has an axis of size 0. */
export const notEmpty: readonly string[] = [
  "Shape(x0)",
  "Equal(%1, INT64{0})",
  "Cast(%2) to=7",
  "Gather(INT64{0}, %3) axis=0",
  "Add(%1, %4)",
  "Reshape(x0, %5)",
];
