import { Effect } from "effect"
import {
  invalidValue,
  type ItemOperation,
  type ListName,
  parameterName,
  parameterValue,
  type Revision,
  type WireContext
} from "../../contract/mod.ts"
import type { AccountView, ExitView, TransactionView } from "../../domain/mod.ts"
import { type AccountIndex, isUserAccount, symbolOfAccountIndex } from "../../encoding/mod.ts"
import type { FoundItem, LedgerReader, SnapshotId, Page, StoreFailure } from "../../ports/mod.ts"
import { badInput, NotFound, type ReadFailure } from "./read_failures.ts"

/*
 * The symbol in an account index is that of the account's token: an index with another symbol names
 * no account. Reserved indexes, such as that of the exit, have any symbol.
 */

/** Returns the error for a path whose account index has another symbol than the account's token. */
export const wrongPathSymbol = (
  { item, parameters }: ItemOperation,
  { symbols }: Revision,
  context: WireContext,
  { item: found, snapshotId }: FoundItem<unknown>,
  path: ReadonlyArray<string>
): ReadFailure | undefined => {
  const at = parameters.findIndex(({ scalar }) => scalar === "accountIndex")
  if (at < 0 || (symbols !== undefined && item !== "account")) return undefined
  const { token: { symbol }, ...view } = found as AccountView | ExitView
  const index = "account" in view ? view.account.index : view.exit.accountIndex
  const text = decodeURIComponent(path[at]!)
  if (symbolOfAccountIndex(text) === symbol) return undefined
  const { name } = context
  return symbols === undefined
    ? notOfSymbol(text, context.accountIndex(symbol, index), snapshotId)
    : badInput([
      invalidValue("path", name(parameters[at]!.name), text, `the symbol ${symbol} of the account`)
    ])
}

/** Fails if an account index among the parameters of a list has the wrong symbol. */
export const failForWrongSymbol = <Item>(
  list: ListName,
  revision: Revision,
  context: WireContext,
  reader: LedgerReader["Service"]
) => {
  const parameter = parameterName(revision, list, "accountIndex")
  const name = parameter === undefined ? undefined : context.name(parameter)
  return (
    query: string,
    index: AccountIndex | undefined,
    { items, snapshotId }: Page<Item>
  ): Effect.Effect<void, NotFound | StoreFailure> => {
    if (
      name === undefined || index === undefined || revision.symbols !== undefined ||
      !isUserAccount(index)
    ) return Effect.void
    const text = parameterValue(query, name) ?? ""
    const [first] = items as ReadonlyArray<ExitView | TransactionView>
    const known = first === undefined ? undefined : symbolIn(first, index)
    const check = (symbol: string | undefined, snapshotId: SnapshotId) =>
      symbol === undefined || symbol === symbolOfAccountIndex(text)
        ? Effect.void
        : Effect.fail(notOfSymbol(text, context.accountIndex(symbol, index), snapshotId))
    return known === undefined
      // the account exists, since the list knew it
      ? Effect.flatMap(
        reader.find("account", index),
        ({ item, snapshotId }) => check(item?.token.symbol, snapshotId)
      )
      : check(known, snapshotId)
  }
}

/**
 * Returns the symbol of an account in an item that it takes part in; undefined if the account was
 * created after the transaction that names it.
 */
const symbolIn = (view: ExitView | TransactionView, index: AccountIndex): string | undefined => {
  if ("exit" in view) return view.token.symbol
  const { receiverToken, senderToken, token, transaction } = view
  const [other, key] = transaction.fromAccountIndex === index
    ? [senderToken, transaction.fromPublicKey]
    : [receiverToken, transaction.toPublicKey]
  return key === null ? undefined : (other ?? token).symbol
}

const notOfSymbol = (text: string, right: string, snapshotId: SnapshotId) =>
  new NotFound({
    message: `There is no account ${
      JSON.stringify(text)
    }: the account with this number is ${right}`,
    snapshotId
  })
