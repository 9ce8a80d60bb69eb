/**
 * For a parameter whose type argument `T` is inferred from what is passed (through the first branch), a union included, while
 * what is passed is held against `As`, so that unknown keys are errors.
 */
export type Inferring<T, As> = [T] extends [never] ? T : As;
