/** `true` if the two types are identical, not only assignable. */
export type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;

/** Type-checks if every member is `true`. */
export type AllTrue<Checks extends readonly true[]> = Checks;
