import { writeClientTypes } from "../../app/packaging/client_types/mod.ts"

/** Generates the types of the client before vitest loads a test file. */
export default () => writeClientTypes()
