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
import { characterOf, fraction, integer, replaceAt } from "./_arbitrary.ts"
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

  it("both spellings of the exit are the number 1", () => {
    accepts(parseAccountIndex("zk", "zk:EXIT:1"), EXIT_ACCOUNT)
    accepts(parseAccountIndex("zk", "zk:ETH:1"), EXIT_ACCOUNT)
  })

  it("a colon follows the prefix, and nothing else does", () => {
    for (
      const text of ["zk.ETH:256", "zkETH:256", "zk ETH:256", "zk:256", "ETH:256", "hez:ETH:256"]
    ) refuses(parseAccountIndex("zk", text), text)
  })

  it("the highest index is 2^48-1", () => {
    accepts(parseAccountIndex("zk", "zk:ETH:281474976710655"), ACCOUNT_INDEX_MAX)
    refuses(parseAccountIndex("zk", "zk:ETH:281474976710656"), "zk:ETH:281474976710656")
    refuses(
      parseAccountIndex("zk", "zk:ETH:9999999999999999999999"),
      "zk:ETH:9999999999999999999999"
    )
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

  it.prop(
    "an index with a digit replaced by another character is refused",
    { index: integer(0, ACCOUNT_INDEX_MAX), position: fraction, damage: characterOf("+-. ex\n") },
    ({ index, position, damage }) => {
      const text = `zk:ETH:${replaceAt(String(index), position, damage)}`
      refuses(parseAccountIndex("zk", text), text)
    }
  )
})
