import { enableCompileCache } from "node:module"

/*
 * Writes the generated sources, which are not in the repository: the types of the client. `npm ci`
 * runs it, and so does every command that compiles or bundles them, so that they always match the
 * contract. The compile cache halves its time.
 */

enableCompileCache()
const { writeClientTypes } = await import("./client_types/mod.ts")
writeClientTypes()
