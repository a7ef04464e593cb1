/** Content codings of answers, and their negotiation with the client. */
export * from "./accept_encoding.ts"
export * from "./content_coding.ts"
