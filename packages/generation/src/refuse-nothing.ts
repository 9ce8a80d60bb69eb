/** @throws Error when the best score is none: no token can follow. */
export const refuseNothing = (best: number | undefined): void => {
  if (best === undefined || !(best > Number.NEGATIVE_INFINITY))
    throw new Error(
      "no token can follow: the rules forbid all of them, or the model's scores are not numbers",
    );
};
