/** Content codings of answers: their negotiation with the client, and compression. */
export * from "./compressor.ts"
export * from "./content_coding.ts"
