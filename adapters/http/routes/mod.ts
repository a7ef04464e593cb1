/** The resources of each revision, and the paths at which the revisions are mounted. */
export { type MountMatch, defaultMounts, makeMountMatcher, type Mount } from "./mounts.ts"
export { makePostHandlers, type PostFailure } from "./post_handler.ts"
export {
  type ComputedResponse,
  makeRevisionRoutes,
  mountedPath,
  type Resource,
  type RevisionRoutes
} from "./revision_routes.ts"
export type { Match } from "./router.ts"
