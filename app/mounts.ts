import type { Mount } from "../adapters/http/mod.ts"
import { earlier, later } from "../core/mod.ts"

/** Where the revisions are served that are not off. */
export const mountsOf = (
  { earlierPath, laterPath }: { readonly earlierPath: string; readonly laterPath: string }
): ReadonlyArray<Mount> =>
  [{ path: laterPath, revision: later }, { path: earlierPath, revision: earlier }].filter((
    { path }
  ) => path !== "off")
