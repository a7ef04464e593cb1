import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import { keccak256 } from "../../adapters/crypto/mod.ts"
import {
  checksumAddress,
  formatPrefixedAddress,
  INTERNAL_ADDRESS,
  parseEthereumAddress,
  parsePrefixedAddress
} from "../../core/encoding/mod.ts"
import { PREFIXES, verifyCases, type VectorCase, withPrefix } from "../vectors/mod.ts"
import { characterOf, fraction, hex, replaceAt } from "./_arbitrary.ts"
import { accepts, refuses } from "./_verdict.ts"

interface AddressCase extends VectorCase {
  readonly text: string
  readonly isHezEthereumAddress: boolean
}

interface WalletCase {
  readonly ethereumAddress?: string
  readonly hezEthereumAddress: string
}

describe("Ethereum addresses", () => {
  for (const prefix of PREFIXES) {
    it(`every address text of the vectors gets its verdict under the prefix ${prefix}`, () => {
      verifyCases<AddressCase>("addresses", 252, (vector) => {
        const text = withPrefix(prefix, vector.text)
        const result = parsePrefixedAddress(prefix, text)
        if (vector.isHezEthereumAddress) accepts(result, vector.text.slice(4).toLowerCase())
        else refuses(result, text)
      })
    })

    it(`every wallet's address is shown with its checksum under the prefix ${prefix}`, () => {
      verifyCases<WalletCase>("wallets", 260, ({ ethereumAddress, hezEthereumAddress }) => {
        const shown = withPrefix(prefix, hezEthereumAddress)
        const address = ethereumAddress === undefined
          ? INTERNAL_ADDRESS
          : Result.getOrThrow(parseEthereumAddress(ethereumAddress))
        const checksummed = checksumAddress(address, keccak256)
        if (ethereumAddress !== undefined) assert.strictEqual(checksummed, ethereumAddress)
        assert.strictEqual(formatPrefixedAddress(prefix, checksummed), shown)
        accepts(parsePrefixedAddress(prefix, shown), address)
      })
    })
  }

  it.prop(
    "an address with a character missing or replaced by another one is refused",
    { digits: hex(40), position: fraction, damage: characterOf("gG :-@`/é\n") },
    ({ digits, position, damage }) => {
      for (const replacement of ["", damage, `${damage}0`]) {
        const plain = replaceAt(`0x${digits}`, position, replacement)
        refuses(parseEthereumAddress(plain), plain)
        refuses(parsePrefixedAddress("zk", `zk:${plain}`), `zk:${plain}`)
      }
    }
  )

  it("a colon follows the prefix, and nothing else does", () => {
    for (const start of ["zk.", "zk", "zk ", "zk::", ":", ""]) {
      refuses(parsePrefixedAddress("zk", start + INTERNAL_ADDRESS), start + INTERNAL_ADDRESS)
    }
  })

  it("a text of up to 200 characters is quoted in full, a longer one is cut", () => {
    for (
      const [length, quoted] of [[200, "g".repeat(200)], [201, `${"g".repeat(200)}…`]] as const
    ) {
      const result = parseEthereumAddress("g".repeat(length))
      assert.strictEqual(
        Result.isFailure(result) && result.failure.message,
        `Invalid value "${quoted}": expected 0x and 40 hexadecimal digits`
      )
    }
  })
})
