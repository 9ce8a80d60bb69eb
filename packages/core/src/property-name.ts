/** Whether a property name needs no quotes in JavaScript. */
export const isPropertyName = (text: string): boolean => /^[A-Za-z_$][\w$]*$/.test(text);

/** The name of a property as JavaScript source: quoted if necessary. */
export const propertyName = (name: string): string => (isPropertyName(name) ? name : JSON.stringify(name));
