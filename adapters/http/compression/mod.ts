/** Content codings of answers, and their negotiation with the client. */
export { type Accepted, makeNegotiator } from "./accept_encoding.ts"
export {
  type CompressionOptions,
  type ContentCoding,
  defaultCompression,
  gzipCoding
} from "./content_coding.ts"
