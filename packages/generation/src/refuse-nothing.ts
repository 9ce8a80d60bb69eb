/** Thrown for a row if the rules forbid every token, or the model's scores are not numbers. Only that row fails. */
export class NothingFollows extends Error {
  constructor() {
    super("no token can follow: the rules forbid all of them, or the model's scores are not numbers");
  }
}

/** @throws NothingFollows when no token has a score above -Infinity. */
export const refuseNothing = (best: number | undefined): void => {
  if (best === undefined || !(best > Number.NEGATIVE_INFINITY)) throw new NothingFollows();
};
