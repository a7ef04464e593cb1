/** Objects of the wire: how they are declared, written, decoded and documented. */
export * from "./object.ts"
export * from "./properties.ts"
export * from "./schema.ts"
export * from "./writer.ts"
