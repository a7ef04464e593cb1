/** The resources of each revision, and the paths at which the revisions are mounted. */
export { isBasePath, type Location, makeLocator } from "./base_path.ts"
export {
  type MountMatch,
  defaultMounts,
  makeMountMatcher,
  type Mount,
  mountedPath,
  type Match
} from "./mounts.ts"
export { makePostHandlers, type PostFailure } from "./post_handler.ts"
export {
  type ComputedResponse,
  makeRevisionRoutes,
  operationName,
  type Resource,
  type RevisionRoutes
} from "./revision_routes.ts"
