/** The resources of one revision, and where each revision is mounted. */
export { type Choice, defaultMounts, makeChooser, type Mount } from "./mounts.ts"
export { makePostings, type PostFailure } from "./post_handler.ts"
export {
  type Computed,
  makeSite,
  mountedPath,
  type Resource,
  type Site
} from "./revision_routes.ts"
export type { Match } from "./router.ts"
