import { Effect } from "effect"
import { adminOpenApi } from "../../adapters/admin/mod.ts"
import { keccak256 } from "../../adapters/hashing/mod.ts"
import { exactJson, openApi } from "../../adapters/http/mod.ts"
import { feedJsonSchema, type RevisionName, wireContext } from "../../core/mod.ts"
import { mountsOf, type settings } from "../config/mod.ts"
import { ProgramFailure } from "../process/mod.ts"
import { defaultNetwork } from "../simulator/mod.ts"
import { writeTexts } from "./output.ts"

interface Settings extends settings.RevisionPaths {
  readonly argument: RevisionName
  readonly prefix: string
  readonly out: string | undefined
}

/** Writes the document that a server with these settings serves at `openapi.json`. */
export const printOpenApi = ({ argument, out, prefix, ...paths }: Settings) =>
  Effect.gen(function*() {
    const mount = mountsOf(paths).find(({ revision }) => revision.name === argument)
    if (mount === undefined) {
      return yield* new ProgramFailure({
        exitReason: "usage",
        message: `The revision ${argument} is off: give it a path with --${argument}-path`
      })
    }
    const context = wireContext({ ...defaultNetwork, prefix }, keccak256)
    yield* writeTexts([
      `${exactJson(openApi({ revision: mount.revision, context, path: mount.path }))}\n`
    ], out)
  })

/** Writes the JSON Schema of the feed, or the OpenAPI document of the admin listener. */
export const printSchema = (
  { argument, out }: { readonly argument: "feed" | "admin"; readonly out: string | undefined }
) =>
  writeTexts([
    `${JSON.stringify(argument === "feed" ? feedJsonSchema() : adminOpenApi(), null, 2)}\n`
  ], out)
