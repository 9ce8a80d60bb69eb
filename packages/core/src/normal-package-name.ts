/** The normalized form of a Python package's name. Source: PEP 503. */
export const normalPackageName = (name: string): string => name.toLowerCase().replaceAll(/[-_.]+/g, "-");
