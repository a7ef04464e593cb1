import { Effect } from "effect"
import {
  type ListDeclaration,
  type ListName,
  listNames,
  type ListQuery,
  lists
} from "../../core/contract/mod.ts"
import type { LedgerReader } from "../../core/ports/mod.ts"

/** A value for each filter of each list. */
export type FilterValues = { readonly [filter: string]: unknown }

/** Returns every combination of filters with a value that can be used together. */
export const filterCombinations = (
  list: ListName,
  values: FilterValues
): ReadonlyArray<FilterValues> => {
  const { exclusions }: ListDeclaration = lists[list]
  const choices = Object.keys(values).reduce<ReadonlyArray<ReadonlyArray<string>>>(
    (all, filter) => [...all, ...all.map((one) => [...one, filter])],
    [[]]
  )
  return choices
    .filter((choice) =>
      !exclusions.some(([one, other]) => choice.includes(one) && choice.includes(other))
    )
    .map((choice) => Object.fromEntries(choice.map((filter) => [filter, values[filter]])))
}

/**
 * Runs every kind of read: each combination of filters in both orders, from any position, and every
 * single item.
 */
export const readEverything = Effect.fnUntraced(function*(
  reader: LedgerReader["Service"],
  values: { readonly [N in ListName]: FilterValues },
  { limit, position }: { readonly limit: number; readonly position: number }
) {
  for (const list of listNames) {
    for (const filters of filterCombinations(list, values[list])) {
      for (const order of ["ASC", "DESC"] as const) {
        for (const from of [{}, { fromItem: position }]) {
          yield* reader.list(list, { filters, order, limit, ...from } as ListQuery<typeof list>)
        }
      }
    }
  }
  const { accountIndex, batchNum, tokenId } = values.exits as {
    readonly accountIndex: number
    readonly batchNum: number
    readonly tokenId: number
  }
  yield* reader.find("account", accountIndex)
  yield* reader.find("exit", { accountIndex, batchNum })
  yield* reader.find("transaction", `0x${"7".padStart(66, "0")}`)
  yield* reader.find("batch", batchNum)
  yield* reader.find("fullBatch", batchNum)
  yield* reader.find("slot", values.bids.slotNum as number)
  yield* reader.find("token", tokenId)
  yield* reader.find("coordinator", values.bids.bidderAddr as string)
  yield* reader.accountsAndTokens({ accounts: [accountIndex, accountIndex + 1], tokens: [tokenId] })
  yield* reader.state
  yield* reader.snapshotId
})
