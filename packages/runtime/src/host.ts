export { isLink } from "./host/is-link.ts";
export { leavesFolder } from "./host/leaves-folder.ts";
export { passingFiles } from "./host/passing-files.ts";
export { pathBytes } from "./host/odd-names.ts";
export { createRepositoryHost, readRegularFile } from "./host/repository-host.ts";
