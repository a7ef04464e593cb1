import type { New, PriceFeed, Token, TokenId } from "../../../core/domain/mod.ts"
import type { EthereumAddress } from "../../../core/encoding/mod.ts"
import { facetsOf, lookupNumber } from "./list_facets.ts"
import { Table } from "../filter_index/mod.ts"

const addressFacet = lookupNumber("tokens")

/** The tokens and what each price overwrote. Ids are consecutive from 0, so an id is a position. */
export class Tokens {
  readonly table = new Table(
    facetsOf("tokens", [{
      kind: "key",
      keys: [(token: Token) => token.ethereumAddress],
      changes: false
    }])
  )
  private readonly before: Array<Token> = []

  get lastId(): TokenId {
    return this.table.length - 1
  }

  get prices(): number {
    return this.before.length
  }

  find(id: TokenId): Token | undefined {
    return this.table.rows[id]
  }

  findByAddress(address: EthereumAddress): Token | undefined {
    const position = this.table.index.positions(addressFacet, address)[0]
    return position === undefined ? undefined : this.table.rows[position]
  }

  add(token: New<Token>): void {
    this.table.append(Object.freeze({ itemId: this.table.itemIds.take(), ...token }))
  }

  setPrice({ tokenId, priceUSD, timeMs }: PriceFeed): void {
    const before = this.find(tokenId)!
    this.before.push(before)
    this.table.replace(
      tokenId,
      Object.freeze({ ...before, priceUSD, priceTimeMs: priceUSD === null ? null : timeMs })
    )
  }

  truncate(length: number, prices: number): void {
    while (this.before.length > prices) {
      const before = this.before.pop()!
      this.table.replace(before.id, before)
    }
    this.table.truncate(length)
  }
}
