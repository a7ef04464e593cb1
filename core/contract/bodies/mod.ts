/** The bodies that clients post: their declarations, readers and writers. */
export { jsonDepthMaxDefault, jsonMembers } from "./_json_members.ts"
export * from "./bodies.ts"
export * from "./body.ts"
export * from "./body_reader.ts"
