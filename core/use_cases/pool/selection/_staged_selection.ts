import { Effect } from "effect"
import type { Account, New } from "../../../domain/mod.ts"
import type { StoreFailure } from "../../../ports/mod.ts"
import { findInPages } from "../../_find_in_pages.ts"
import type { PoolPorts } from "../_optimistic_change.ts"
import {
  type AccountIndex,
  type EthereumAddress,
  INTERNAL_ADDRESS,
  keysOfLeaf,
  leafKey,
  type PublicKey
} from "../../../encoding/mod.ts"

/** An account during a selection. */
export interface StagedAccount {
  readonly before: New<Account>
  /** Nonce in the ledger; null if the batch has changed the account before its L2 transactions. */
  readonly ledgerNonce: bigint | null
  nonce: bigint
  balance: bigint
}

/** An account that the coordinator has to create before it forges the selected transactions. */
export interface AccountToCreate {
  readonly tokenId: number
  readonly address: EthereumAddress
  readonly publicKey: PublicKey
  /** Authorization of the owner, with the low s; null for an internal account. */
  readonly signature: string | null
}

/** The owner of accounts of a token: an address, or a key and the address of internal accounts. */
type Owner = Pick<Account, "tokenId" | "address"> & { readonly publicKey: PublicKey | null }

/** The ledger with the selected transactions applied. Uncommitted changes can be rolled back. */
export class StagedSelection {
  readonly #ports: PoolPorts
  readonly #initialAccounts: ReadonlyArray<New<Account>>
  readonly #accounts = new Map<AccountIndex, StagedAccount | null>()
  readonly #owners = new Map<string, AccountIndex | null>()
  readonly #positions = new Map<string, number>()
  readonly #toCreate: Array<AccountToCreate> = []
  #undo: Array<() => void> = []

  constructor(ports: PoolPorts, initialAccounts: ReadonlyArray<New<Account>>) {
    this.#ports = ports
    this.#initialAccounts = initialAccounts
    for (const account of initialAccounts) {
      this.#accounts.set(account.index, stagedAccount(account, null))
    }
  }

  get toCreate(): ReadonlyArray<AccountToCreate> {
    return this.#toCreate
  }

  /** Returns an account, or null if it does not exist. */
  account(index: AccountIndex): Effect.Effect<StagedAccount | null, StoreFailure> {
    const known = this.#accounts.get(index)
    if (known !== undefined) return Effect.succeed(known)
    return Effect.map(this.#ports.reader.find("account", index), ({ item }) => {
      const staged = item === null ? null : stagedAccount(item.account, item.account.nonce)
      this.#accounts.set(index, staged)
      return staged
    })
  }

  /** Returns the first account of an owner; null if there is none. */
  ownedBy(owner: Owner): Effect.Effect<AccountIndex | null, StoreFailure> {
    const key = keyOf(owner)
    const known = this.#owners.get(key)
    if (known !== undefined) return Effect.succeed(known)
    return Effect.map(this.#lookUp(owner), (stored) => {
      const index = stored ?? this.#initialAccounts.find((account) =>
        isOwnedBy(account, owner)
      )?.index ?? null
      this.#owners.set(key, index)
      return index
    })
  }

  /** Returns the position of an owner among the accounts to create, or undefined. */
  positionOf(owner: Owner): number | undefined {
    return this.#positions.get(keyOf(owner))
  }

  /** Adds an account to create. Returns its position. */
  create(owner: Owner, account: AccountToCreate): number {
    const key = keyOf(owner)
    const position = this.#toCreate.push(account) - 1
    this.#positions.set(key, position)
    this.#undo.push(() => {
      this.#toCreate.pop()
      this.#positions.delete(key)
    })
    return position
  }

  /** Increments the nonce and subtracts units from the balance. */
  debit(account: StagedAccount, units: bigint): void {
    account.nonce++
    account.balance -= units
    this.#undo.push(() => {
      account.nonce--
      account.balance += units
    })
  }

  credit(account: StagedAccount, units: bigint): void {
    account.balance += units
    this.#undo.push(() => {
      account.balance -= units
    })
  }

  /** Commits all changes so far. */
  commit(): void {
    this.#undo = []
  }

  /** Undoes all changes since the last commit. */
  rollBack(): void {
    for (const undo of this.#undo.reverse()) undo()
    this.#undo = []
  }

  readonly #lookUp = (owner: Owner): Effect.Effect<AccountIndex | null, StoreFailure> => {
    const { reader } = this.#ports
    const { address, publicKey, tokenId } = owner
    // the list also has accounts of this key with an address: continue until an internal one
    const firstOf = (
      filter: { readonly address: EthereumAddress } | { readonly publicKey: PublicKey }
    ) =>
      findInPages(
        reader,
        "accounts",
        { filters: { ...filter, tokenIds: [tokenId] }, limit: 64 },
        (items) => items.find(({ account }) => isOwnedBy(account, owner))?.account.index
      )
    if (publicKey === null) return firstOf({ address })
    return Effect.map(
      Effect.forEach(keysOfLeaf(publicKey), (key) => firstOf({ publicKey: key })),
      (found) => {
        const indexes = found.filter((index) => index !== null)
        return indexes.length === 0 ? null : Math.min(...indexes)
      }
    )
  }
}

const stagedAccount = (before: New<Account>, ledgerNonce: bigint | null): StagedAccount => ({
  before,
  ledgerNonce,
  nonce: before.nonce,
  balance: before.balance
})

/** Returns the owner that a destination names. */
export const ownerOf = (
  tokenId: number,
  toAddress: EthereumAddress,
  toPublicKey: PublicKey | null
): Owner => ({
  tokenId,
  address: toAddress,
  publicKey: toAddress === INTERNAL_ADDRESS ? toPublicKey : null
})

const keyOf = ({ address, publicKey, tokenId }: Owner): string =>
  `${tokenId} ${publicKey === null ? address : leafKey(publicKey)}`

const isOwnedBy = (account: New<Account>, { address, publicKey, tokenId }: Owner): boolean =>
  account.tokenId === tokenId && account.address === address &&
  (publicKey === null || leafKey(account.publicKey) === leafKey(publicKey))
