import type { Token, TokenId } from "../../../core/domain/mod.ts"
import type { EthereumAddress } from "../../../core/encoding/mod.ts"
import type { PlacedPrice } from "../../../core/ports/mod.ts"
import { Table } from "../filter_index/mod.ts"
import { frozenCopy } from "./_frozen.ts"
import type { LedgerLists, ReplacedPrice } from "./ledger_image.ts"
import { indexKeyNumber, indexKeysOf } from "./list_index_keys.ts"

const addressIndexKey = indexKeyNumber("tokens", "addresses")

/**
 * The tokens, and the prices that later ones replaced. Token ids are consecutive from 0, so an id is a
 * position.
 */
export class Tokens {
  readonly table = new Table<Token>(indexKeysOf("tokens"))
  /** One entry for each price, in the order of the prices. */
  private replaced: Array<ReplacedPrice> = []

  get lastId(): TokenId {
    return this.table.length - 1
  }

  /** Number of prices that were set and not undone. */
  get priceCount(): number {
    return this.replaced.length
  }

  find(id: TokenId): Token | undefined {
    return this.table.rows[id]
  }

  findByAddress(address: EthereumAddress): Token | undefined {
    const position = this.table.index.positionsOf(addressIndexKey, address)[0]
    return position === undefined ? undefined : this.table.rows[position]
  }

  add(token: Token): void {
    this.table.append(Object.freeze(token))
  }

  setPrices(prices: ReadonlyArray<PlacedPrice>): void {
    for (const { after, before: { id, priceTimeMs, priceUSD } } of prices) {
      this.replaced.push({ id, priceUSD, priceTimeMs })
      this.table.replace(id, Object.freeze(after))
    }
  }

  /** Undoes prices until `priceCount` are left, then removes the tokens from `length` on. */
  truncate(length: number, priceCount: number): void {
    while (this.replaced.length > priceCount) {
      const { id, priceTimeMs, priceUSD } = this.replaced.pop()!
      this.table.replace(id, Object.freeze({ ...this.find(id)!, priceUSD, priceTimeMs }))
    }
    this.table.truncate(length)
  }

  lists() {
    return { tokens: [...this.table.rows], replacedPrices: [...this.replaced] }
  }

  /** Sets the tokens of an image. Only ether may be registered. */
  restore({ replacedPrices, tokens }: LedgerLists): void {
    this.table.truncate(0)
    this.table.restore(tokens.map(frozenCopy))
    this.replaced = [...replacedPrices]
  }
}
