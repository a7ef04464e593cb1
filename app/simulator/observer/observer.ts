import type { BlockFeed } from "../../../core/domain/mod.ts"
import type { Context, World } from "../world/mod.ts"
import { observeAuction } from "./_auction.ts"
import { observeBatches } from "./_batches.ts"
import { observeWithdrawals } from "./_withdrawals.ts"

/** Counts what occurs in a chain, by the records of its feed. */
export class Observer {
  readonly #context: Context
  readonly #tokensOfKey = new Map<string, number>()
  readonly #batchOfExit = new Map<number, number>()

  constructor(context: Context) {
    this.#context = context
  }

  /** Observes a block; `before` and `after` are the states before and after it. */
  block(block: BlockFeed, before: World, after: World): void {
    const { occurrences, settings } = this.#context
    this.#tokens(block)
    observeAuction(this.#context, block, before, after)
    observeBatches(occurrences, block, before, after)
    observeWithdrawals(occurrences, block, before, after)
    occurrences.addIf(after.queues.length > 1, "several open queues")
    for (const { position } of block.l1UserTransactions ?? []) {
      occurrences.addIf(position === settings.queueSize - 1, "full queue")
    }
    for (const { batchNum, exits } of block.batches ?? []) {
      for (const { accountIndex } of exits ?? []) {
        occurrences.addIf(
          (this.#batchOfExit.get(accountIndex) ?? batchNum) < batchNum,
          "exits of one account in several batches"
        )
        this.#batchOfExit.set(accountIndex, batchNum)
      }
    }
    for (const { publicKey, tokenId } of after.accounts.slice(before.accounts.length)) {
      const known = this.#tokensOfKey.get(publicKey) ?? tokenId
      occurrences.addIf(known !== tokenId, "user with accounts of several tokens")
      this.#tokensOfKey.set(publicKey, tokenId)
    }
  }

  pricesBetweenBlocks(): void {
    this.#context.occurrences.add("price between blocks")
  }

  /** Observes a rollback from one state to another one. */
  rollBack(from: World, to: World): void {
    const { occurrences } = this.#context
    occurrences.add(
      from.block.number - to.block.number === 1n
        ? "rollback of one block"
        : "rollback of several blocks"
    )
    occurrences.addIf(
      from.openExits.some(({ balance, batchNum }) => balance === 0n && batchNum > to.lastBatchNum),
      "leaf of 0 rolled back"
    )
  }

  #tokens({ prices = [], tokens = [] }: BlockFeed): void {
    const { occurrences } = this.#context
    for (const { decimals, id, name, symbol } of tokens) {
      if (decimals === 0 || decimals === 6 || decimals === 8 || decimals === 18) {
        occurrences.add(`token of ${decimals} decimals`)
      }
      occurrences.addIf(!prices.some(({ tokenId }) => tokenId === id), "token without price")
      occurrences.addIf(symbol === "" && name === "", "token without symbol and name")
      occurrences.addIf(symbol.includes(":"), "token symbol with a colon")
      occurrences.addIf(/[^\u0020-\u007e]/u.test(name), "token name beyond ASCII")
    }
    for (const { priceUSD } of prices) {
      occurrences.add(priceUSD === null ? "price becomes unknown" : "price in a block")
    }
  }
}
