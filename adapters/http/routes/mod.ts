/** The resources of each revision, and the paths at which the revisions are mounted. */
export * from "./mounts.ts"
export * from "./post_handler.ts"
export * from "./revision_routes.ts"
