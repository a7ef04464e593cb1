/** The OpenAPI document of one revision, and its documentation page. */
export * from "./docs.ts"
export * from "./open_api.ts"
export { jsonContent } from "./_responses.ts"
