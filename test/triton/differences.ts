/**
 * Requests that the local server deliberately answers differently, by the reason. The test of a request that no longer
 * differs fails.
 */
export type Differences = Readonly<Record<string, readonly string[]>>;

/** The names of these requests. Throws if there is no such request, or if a request is listed twice. */
export const namesOf = (differences: Differences, requests: ReadonlySet<string>): ReadonlySet<string> => {
  const names = Object.values(differences).flat();
  const wrong = names.filter((name, index) => !requests.has(name) || names.indexOf(name) !== index);
  if (wrong.length > 0) throw new Error(`no requests, or listed twice: ${wrong.join("; ")}`);
  return new Set(names);
};

/** The names of the requests of all subjects. Each name may occur in only one subject. */
export const requestNames = (subjects: Readonly<Record<string, object>>): ReadonlySet<string> => {
  const names = Object.values(subjects).flatMap(Object.keys);
  const twice = names.filter((name, index) => names.indexOf(name) !== index);
  if (twice.length > 0) throw new Error(`in two subjects: ${twice.join("; ")}`);
  return new Set(names);
};
