/** How often this module was evaluated. */
let evaluated = 0;
evaluated++;

export { evaluated };
export let greeted = 0;

export const greet = (name: string): string => {
  greeted = (greeted + 1) % 1000;
  return `Grüß Gott, ${name.trim()}`;
};

/** Finishes after other modules have started. */
export const load = async (): Promise<ReadonlyMap<string, number>> => {
  await new Promise((resolve) => setTimeout(resolve, 5));
  return new Map([
    ["und", 1],
    ["oder", 2],
  ]);
};

export default class {
  static readonly title = "languages";
}
