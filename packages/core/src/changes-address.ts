/**
 * These characters end a path segment, here or on a server that decodes paths. `fetch` removes control characters such
 * as tabs.
 */
const separator = /[/\\?#\p{Cc}]|%(?:2f|5c)/iu;
/** `.` and `..`, in the forms that `fetch` resolves (https://url.spec.whatwg.org/#double-dot-path-segment). */
const dotSegment = /^\s*(?:\.|%2e){1,2}\s*$/i;

/** Whether a name would change the address that it is a part of, such as `../repository/index?`. */
export const changesAddress = (name: string): boolean => separator.test(name) || dotSegment.test(name);
