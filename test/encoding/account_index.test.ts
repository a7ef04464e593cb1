import { assert, describe, it } from "@effect/vitest"
import {
  ACCOUNT_INDEX_MAX,
  EXIT_ACCOUNT,
  FIRST_USER_ACCOUNT,
  formatAccountIndex,
  isUserAccount,
  NO_ACCOUNT,
  parseAccountIndex
} from "../../core/encoding/mod.ts"
import { PREFIXES, verifyCases, type VectorCase, withPrefix } from "../vectors/mod.ts"
import { characterOf, integer } from "./_arbitrary.ts"
import { accepts, refuses } from "./_verdict.ts"

interface IndexCase extends VectorCase {
  readonly text: string
  readonly index: number | null
}

// the client's pattern and the contract differ: the contract accepts every index of 48 bits, no
// leading zeros, and any symbol, also an empty one and one with colons
const REFUSED_BY_CONTRACT = ["no index", "leading zeros"]
const ACCEPTED_BY_CONTRACT = ["no symbol", "one part too many"]

describe("account indexes", () => {
  for (const prefix of PREFIXES) {
    it(`every account index of the vectors gets its verdict under the prefix ${prefix}`, () => {
      verifyCases<IndexCase>("account-index", 344, (vector) => {
        const text = withPrefix(prefix, vector.text)
        const refused = vector.policy === true
          ? REFUSED_BY_CONTRACT.includes(vector.why ?? "")
          : vector.negative && !ACCEPTED_BY_CONTRACT.includes(vector.why ?? "")
        const result = parseAccountIndex(prefix, text)
        if (refused) refuses(result, text)
        else accepts(result, vector.index ?? -1)
      })
    })
  }

  it("a colon follows the prefix, and nothing else does", () => {
    for (
      const text of ["zk.ETH:256", "zkETH:256", "zk ETH:256", "zk:256", "ETH:256", "hez:ETH:256"]
    ) refuses(parseAccountIndex("zk", text), text)
  })

  it("accounts of users start at 256", () => {
    assert.deepStrictEqual([NO_ACCOUNT, EXIT_ACCOUNT, 255, FIRST_USER_ACCOUNT].map(isUserAccount), [
      false,
      false,
      false,
      true
    ])
  })

  it.prop(
    "an index round-trips under any symbol",
    { index: integer(0, ACCOUNT_INDEX_MAX), symbol: characterOf("A$é :") },
    ({ index, symbol }) =>
      accepts(parseAccountIndex("zk", formatAccountIndex("zk", symbol, index)), index)
  )
})
