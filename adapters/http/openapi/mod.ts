/** The OpenAPI document of one revision, and its documentation page. */
export { docsPage } from "./docs.ts"
export {
  exactJson,
  localPath,
  openApi,
  type OpenApiDocument,
  type OpenApiOptions
} from "./open_api.ts"
