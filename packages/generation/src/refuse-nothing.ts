/** The rules forbid every token, or the model's scores are not numbers: a failure of one row. */
export class NothingFollows extends Error {
  constructor() {
    super("no token can follow: the rules forbid all of them, or the model's scores are not numbers");
  }
}

/** @throws NothingFollows when the best score is none. */
export const refuseNothing = (best: number | undefined): void => {
  if (best === undefined || !(best > Number.NEGATIVE_INFINITY)) throw new NothingFollows();
};
