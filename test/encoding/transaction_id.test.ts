import { assert, describe, it } from "@effect/vitest"
import { Arbitrary, Result } from "effect"
import { keccak256 } from "../../adapters/crypto/mod.ts"
import {
  ACCOUNT_INDEX_MAX,
  decodeFloat40,
  l1CoordinatorTransactionId,
  l1UserTransactionId,
  l2TransactionId,
  parseTransactionId
} from "../../core/encoding/mod.ts"
import { verifyCases, type VectorCase } from "../vectors/mod.ts"
import { characterOf, fraction, hex, integer, replaceAt, unsigned } from "./_arbitrary.ts"
import { accepts, refuses } from "./_verdict.ts"

interface L1Case extends VectorCase {
  readonly toForgeL1TransactionsNum: number
  readonly position: number
  readonly id?: string
  readonly claimedId?: string
}

interface L2Case extends VectorCase {
  readonly fromIdx: number
  readonly tokenId: number
  readonly amount: string
  readonly nonce: number
  readonly fee: number
  readonly id?: string
  readonly claimedId?: string
  readonly rightId?: string
}

const MALFORMED = [
  "one byte short",
  "one byte more",
  "no 0x",
  "old form: type, sender, nonce (12 bytes)"
]

describe("transaction ids", () => {
  it("every id of an L1 user transaction of the vectors is reproduced and every false one refused", () => {
    verifyCases<L1Case>("tx-ids-l1", 313, (vector) => {
      const id = l1UserTransactionId(vector, keccak256)
      if (vector.negative) return isNotThe(id, vector)
      assert.strictEqual(id, vector.id)
      accepts(parseTransactionId(id), id)
    })
  })

  it("every id of an L2 transaction of the vectors is reproduced and every false one refused", () => {
    verifyCases<L2Case>("tx-ids-l2", 461, (vector) => {
      const id = l2TransactionId(
        {
          ...vector,
          fromAccountIndex: vector.fromIdx,
          amount: BigInt(vector.amount),
          nonce: BigInt(vector.nonce)
        },
        keccak256
      )
      if (!vector.negative) return accepts(id, vector.id ?? "")
      if (vector.claimedId === undefined) {
        return refuses(id, vector.fee > 255 ? String(vector.fee) : vector.amount)
      }
      accepts(id, vector.rightId ?? "")
      isNotThe(Result.getOrThrow(id), vector)
    })
  })

  it("the published id of a coordinator transaction holds", () => {
    assert.strictEqual(
      l1CoordinatorTransactionId({ batchNum: 51966, position: 88 }, keccak256),
      "0x01274482d73df4dab34a1b6740adfca347a462513aa14e82f27b12f818d1b68c84"
    )
  })

  it("a field that does not fit into the id is refused by name", () => {
    const fits = { fromAccountIndex: 256, tokenId: 0, amount: 1n, nonce: 0n, fee: 0 }
    refuses(l2TransactionId({ ...fits, fromAccountIndex: 2 ** 48 }, keccak256), "281474976710656")
    refuses(l2TransactionId({ ...fits, tokenId: 2 ** 32 }, keccak256), "4294967296")
    refuses(l2TransactionId({ ...fits, amount: -1n }, keccak256), "-1")
    refuses(l2TransactionId({ ...fits, nonce: 1n << 40n }, keccak256), "1099511627776")
    refuses(l2TransactionId({ ...fits, fee: 256 }, keccak256), "256")
    for (const field of ["fromAccountIndex", "tokenId", "fee"]) {
      for (const value of [-1, 0.5, NaN]) {
        refuses(l2TransactionId({ ...fits, [field]: value }, keccak256), String(value))
      }
    }
    refuses(l2TransactionId({ ...fits, nonce: -1n }, keccak256), "-1")
  })

  it("every field has its bytes at both of its bounds", () => {
    let hashed = ""
    const hash = (
      bytes: Uint8Array
    ) => (hashed = Buffer.from(bytes).toString("hex"), keccak256(bytes))
    const amount = decodeFloat40(2 ** 40 - 1)
    assert.isTrue(
      Result.isSuccess(
        l2TransactionId({
          fromAccountIndex: ACCOUNT_INDEX_MAX,
          tokenId: 2 ** 32 - 1,
          amount,
          nonce: (1n << 40n) - 1n,
          fee: 255
        }, hash)
      )
    )
    assert.strictEqual(hashed, "ff".repeat(21))
    assert.isTrue(
      Result.isSuccess(
        l2TransactionId({ fromAccountIndex: 0, tokenId: 0, amount: 0n, nonce: 0n, fee: 0 }, hash)
      )
    )
    assert.strictEqual(hashed, "00".repeat(21))
    l1UserTransactionId(
      { toForgeL1TransactionsNum: Number.MAX_SAFE_INTEGER, position: 65535 },
      hash
    )
    assert.strictEqual(hashed, "001fffffffffffffffff")
    l1CoordinatorTransactionId({ batchNum: 0, position: 0 }, hash)
    assert.strictEqual(hashed, "00".repeat(10))
  })

  it("an impossible position or batch number is a defect", () => {
    assert.throws(
      () => l1UserTransactionId({ toForgeL1TransactionsNum: 0, position: 65536 }, keccak256),
      RangeError
    )
    for (const wrong of [-1, 0.5, 2 ** 53]) {
      assert.throws(
        () => l1CoordinatorTransactionId({ batchNum: wrong, position: 0 }, keccak256),
        RangeError
      )
      assert.throws(
        () => l1UserTransactionId({ toForgeL1TransactionsNum: 0, position: wrong }, keccak256),
        RangeError
      )
    }
  })

  it.prop(
    "the id of any L2 transaction is well formed and depends on each field",
    {
      fromAccountIndex: integer(0, ACCOUNT_INDEX_MAX - 1),
      tokenId: integer(0, 2 ** 32 - 2),
      amount: Arbitrary.map(integer(0, 2 ** 40 - 2), decodeFloat40),
      nonce: unsigned(39),
      fee: integer(0, 254)
    },
    (transaction) => {
      const id = Result.getOrThrow(l2TransactionId(transaction, keccak256))
      accepts(parseTransactionId(id), id)
      const { fromAccountIndex, tokenId, nonce, fee } = transaction
      for (
        const other of [{ fromAccountIndex: fromAccountIndex + 1 }, { tokenId: tokenId + 1 }, {
          nonce: nonce + 1n
        }, { fee: fee + 1 }]
      ) {
        assert.notStrictEqual(
          Result.getOrThrow(l2TransactionId({ ...transaction, ...other }, keccak256)),
          id
        )
      }
    }
  )

  it.prop(
    "an id with a character missing or replaced by another one is refused",
    { hash: hex(64), position: fraction, damage: characterOf("gG :-é\n") },
    ({ hash, position, damage }) => {
      for (const replacement of ["", damage, `${damage}0`]) {
        const damaged = replaceAt(`0x02${hash}`, position, replacement)
        refuses(parseTransactionId(damaged), damaged)
      }
      for (const type of ["03", "0a", "0/", "0 ", "10", "ff"]) {
        refuses(parseTransactionId(`0x${type}${hash}`), `0x${type}${hash}`)
      }
    }
  )
})

/** Asserts that a claimed id is malformed or that of another transaction. */
function isNotThe(
  id: string,
  { claimedId = "", why = "" }: { readonly claimedId?: string; readonly why?: string }
): void {
  const claimed = parseTransactionId(claimedId)
  if (MALFORMED.includes(why)) refuses(claimed, claimedId)
  assert.isTrue(Result.isFailure(claimed) || claimed.success !== id)
}
