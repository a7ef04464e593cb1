import { Arbitrary } from "effect"
import { type Revision, revisionList } from "../core/contract/mod.ts"
import type { Network } from "../core/domain/mod.ts"
import { type Facts, inputGenerators } from "./laws/mod.ts"

/** Returns what precedes the paths of a revision at a node; empty for the default revision. */
export const mountOf = ({ path }: Pick<Revision, "path">): string => path === "/" ? "" : path

/** What precedes the paths of each revision. */
export const mounts: ReadonlyArray<string> = revisionList.map(mountOf)

/** Generates one URL of a read in each revision. */
export const urlInEachRevision = (facts: Facts, network: Network) =>
  Arbitrary.all(
    revisionList.map((revision) =>
      Arbitrary.map(
        inputGenerators.operationUrl(facts, revision, network),
        (url) => mountOf(revision) + url
      )
    )
  )
