import { earlier } from "./earlier.ts"
import { later } from "./later.ts"
import type { Revision } from "./revision.ts"
import { v1 } from "./v1.ts"

/**
 * Every revision of the contract, the default one first. To add a revision, declare it in a file and
 * list it here: routes, settings, OpenAPI, the typed client and the tests iterate over this list.
 *
 * ```ts
 * import { revisions } from "rollup-node-api"
 *
 * console.log(`${revisions.earlier.name} at ${revisions.earlier.path}`) // => earlier at /earlier
 * ```
 */
export const revisions = { later, earlier, v1 } satisfies { readonly [name: string]: Revision }

export type RevisionName = keyof typeof revisions

/** Every revision of the contract, the default one first. */
export const revisionList: ReadonlyArray<Revision> = Object.values(revisions)
