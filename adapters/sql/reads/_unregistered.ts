import {
  type Filter,
  type ListDeclaration,
  type ListName,
  lists
} from "../../../core/contract/mod.ts"
import { type LedgerStamp, NotRegistered, type UnregisteredThing } from "../../../core/ports/mod.ts"

/** Returns the error for the items that the filters refer to and that do not exist, if any. */
export const findUnregistered = (
  name: ListName,
  filters: { readonly [filter: string]: unknown },
  isRegistered: (kind: NonNullable<Filter["references"]>, value: number) => boolean,
  stamp: LedgerStamp
): NotRegistered | undefined => {
  const declaration: ListDeclaration = lists[name]
  const things = Object.entries(filters).flatMap(
    ([filter, value]): ReadonlyArray<UnregisteredThing> => {
      const kind = declaration.filters[filter]?.references
      if (kind === undefined || value === undefined) return []
      const values = (Array.isArray(value) ? value : [value]) as ReadonlyArray<number>
      return values.filter((each) => !isRegistered(kind, each)).map((each) => ({
        filter,
        kind,
        value: each
      }))
    }
  )
  const [first, ...rest] = things
  return first && new NotRegistered({ things: [first, ...rest], stamp })
}
