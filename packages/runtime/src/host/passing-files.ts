/** Names of files that interpreters and editors leave in a repository; changes to them reload no model. */
export const passingFiles: RegExp = /^\.|^__pycache__$|\.py[co]$|~$/;
