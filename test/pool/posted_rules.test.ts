/* Both sides of each bound of a posted body, and the messages for values beyond them. */
import { assert, describe, it } from "@effect/vitest"
import { keccak256 } from "../../adapters/hashing/mod.ts"
import type {
  Account,
  PostedTransaction,
  RequestedTransaction,
  Token
} from "../../core/domain/mod.ts"
import {
  EMPTY_PUBLIC_KEY,
  feeFactor,
  FLOAT40_AMOUNT_MAX,
  INTERNAL_ADDRESS,
  ZERO_ADDRESS
} from "../../core/encoding/mod.ts"
import {
  ledgerFaults,
  authorizationFaults,
  postedFaults,
  refuseFor,
  withoutEmptyParts
} from "../../core/use_cases/pool/submission/_posted_rules.ts"
import { ownerOf, postedOf } from "./_node.ts"

const refuse = refuseFor({ prefix: "zk" })
const owner = ownerOf(1)

const pairs = (faults: ReadonlyArray<{ readonly parameter: string; readonly rule: string }>) =>
  faults.map(({ parameter, rule }) => [parameter, rule])
const brokenBy = (parts: Partial<PostedTransaction>) =>
  pairs(postedFaults(postedOf(parts), refuse, keccak256))

const request: RequestedTransaction = {
  fromAccountIndex: 256,
  toAccountIndex: 257,
  toAddress: null,
  toPublicKey: null,
  tokenId: 0,
  amount: 5n,
  fee: 3,
  nonce: 4n
}
const float = "an amount of at most 35 significant bits times a power of ten"
const range = `an amount from 0 to ${FLOAT40_AMOUNT_MAX}`
const selector = "a fee selector from 0 to 255"
const nonceRule = "a nonce below 2^40, the bound of the signed message"

describe("the rules of a body by itself", () => {
  it("name property, value and rule, with the names of the network", () => {
    assert.deepStrictEqual(
      refuseFor({ prefix: "hez" })("toZkEthereumAddress", owner.address, "null"),
      {
        in: "body",
        parameter: "/toHezEthereumAddress",
        value: owner.address,
        rule: "null",
        message: `Property toHezEthereumAddress has the value ${owner.address}: expected null`
      }
    )
    assert.deepStrictEqual(refuse("toBjj", null, "a key"), {
      in: "body",
      parameter: "/toBjj",
      value: null,
      rule: "a key",
      message: "Property toBjj is missing: expected a key"
    })
  })

  it("accept the bounds of its numbers", () => {
    for (
      const parts of [{ amount: 0n }, { amount: FLOAT40_AMOUNT_MAX, fee: 0 }, { fee: 0 }, {
        fee: 255,
        amount: 1n
      }, { nonce: 2n ** 40n - 1n }]
    ) {
      assert.deepStrictEqual(brokenBy(parts), [])
      assert.deepStrictEqual(brokenBy({ request: { ...request, ...parts } }), [])
    }
  })

  it("refuse numbers beyond the bounds", () => {
    const broken: ReadonlyArray<
      readonly [
        parts: Partial<Pick<PostedTransaction, "amount" | "fee" | "nonce">>,
        ...rules: ReadonlyArray<readonly ["amount" | "fee" | "nonce", string]>
      ]
    > = [
      [{ amount: -1n }, ["amount", range]],
      [{ amount: 2n ** 35n + 1n }, ["amount", float]],
      [{ amount: 2n ** 192n - 1n, fee: 0 }, ["amount", range]],
      [{ amount: 2n ** 192n, fee: 0 }, ["amount", range], ["amount", "an amount below 2^192"]],
      [{ fee: -1 }, ["fee", selector]],
      [{ fee: 1.5 }, ["fee", selector]],
      [{ fee: 256 }, ["fee", selector]],
      [{ amount: 10n ** 30n, fee: 255 }, [
        "fee",
        `a fee selector whose fee on ${10n ** 30n} units fits in 128 bits`
      ]],
      [{ nonce: -1n }, ["nonce", nonceRule]],
      [{ nonce: 2n ** 40n }, ["nonce", nonceRule]]
    ]
    for (const [parts, ...rules] of broken) {
      assert.deepStrictEqual(brokenBy(parts), rules.map(([name, rule]) => [`/${name}`, rule]))
      assert.deepStrictEqual(
        brokenBy({ request: { ...request, ...parts } }),
        rules.map(([name, rule]) => [`/request${name[0]!.toUpperCase()}${name.slice(1)}`, rule])
      )
    }
  })

  it("refuse an incomplete requested transaction", () => {
    const rule = "a requested transaction with its sender, token, amount, fee and nonce"
    for (const name of ["fromAccountIndex", "tokenId", "amount", "fee", "nonce"]) {
      assert.deepStrictEqual(brokenBy({ request: { ...request, [name]: null } }), [[
        `/request${name[0]!.toUpperCase()}${name.slice(1)}`,
        rule
      ]])
    }
    for (const name of ["toAccountIndex", "toAddress", "toPublicKey"]) {
      assert.deepStrictEqual(brokenBy({ request: { ...request, [name]: null } }), [])
    }
  })

  it("refuse an exit of amount 0, and no other transfer of amount 0", () => {
    assert.deepStrictEqual(brokenBy({ type: "Exit", toAccountIndex: 1, amount: 0n }), [[
      "/amount",
      "more than 0 units for an exit"
    ]])
    assert.deepStrictEqual(brokenBy({ type: "Exit", toAccountIndex: 1, amount: 1n }), [])
  })

  it("refuse a missing or contradictory destination", () => {
    const named = "null, because toAccountIndex is the destination"
    const account = "1 for an exit or 256 and more for an account"
    const wrong = [
      [{ toAccountIndex: 255 }, ["/toAccountIndex", account]],
      [{ toAccountIndex: 2 }, ["/toAccountIndex", account]],
      [{ toAddress: owner.address }, ["/toZkEthereumAddress", named]],
      [{ toPublicKey: owner.publicKey }, ["/toBjj", named]],
      [{ toAccountIndex: null, toPublicKey: owner.publicKey }, [
        "/toZkEthereumAddress",
        "the address of all F, because toBjj is set"
      ]],
      [{ toAccountIndex: null, toAddress: INTERNAL_ADDRESS }, [
        "/toBjj",
        "a key, because the address is all F"
      ]],
      [{ toAccountIndex: null }, [
        "/toAccountIndex",
        "a destination: an account, the exit, an Ethereum address, or a key with the address of all F"
      ]]
    ] as const
    for (const [parts, fault] of wrong) assert.deepStrictEqual(brokenBy(parts), [[...fault]])
    assert.deepStrictEqual(brokenBy({ toAccountIndex: 256 }), [])
    assert.deepStrictEqual(brokenBy({ toAccountIndex: null, toAddress: owner.address }), [[
      "/type",
      "TransferToEthAddr, the type for this destination"
    ]])
  })

  it("refuse an id that does not match the transaction", () => {
    const { id } = postedOf()
    assert.deepStrictEqual(brokenBy({ id: postedOf({ nonce: 1n }).id }), [[
      "/id",
      `${id}, recomputed from sender, token, amount, nonce and fee`
    ]])
  })

  it("accept other ways to say that a part is absent", () => {
    const parts = { toAccountIndex: 0, toAddress: ZERO_ADDRESS, toPublicKey: EMPTY_PUBLIC_KEY }
    assert.deepInclude(withoutEmptyParts(postedOf(parts)), {
      toAccountIndex: null,
      toAddress: null,
      toPublicKey: null
    })
    const explicit = { toAccountIndex: 1, toAddress: owner.address, toPublicKey: owner.publicKey }
    assert.deepInclude(withoutEmptyParts(postedOf(explicit)), explicit)
  })

  it("refuse an authorization without owner or key", () => {
    const noOwner = ["/zkEthereumAddress", "an address that is not zero"]
    assert.deepStrictEqual(pairs(authorizationFaults(owner, refuse)), [])
    assert.deepStrictEqual(
      pairs(authorizationFaults({ ...owner, address: ZERO_ADDRESS }, refuse)),
      [noOwner]
    )
    assert.deepStrictEqual(
      pairs(authorizationFaults({ ...owner, address: INTERNAL_ADDRESS }, refuse)),
      [noOwner]
    )
    assert.deepStrictEqual(
      pairs(authorizationFaults({ ...owner, publicKey: EMPTY_PUBLIC_KEY }, refuse)),
      [["/bjj", "a key"]]
    )
  })
})

describe("the rules of a body against the ledger", () => {
  const account = { tokenId: 0, nonce: 5n } as Account
  const token = { decimals: 3, priceUSD: 2 } as Token
  const bounds = { minFeeUSD: 0, maxFeeUSD: Infinity }
  const broken = (
    parts: Partial<PostedTransaction>,
    parties: Partial<Parameters<typeof ledgerFaults>[1]> = {},
    feeBounds = bounds
  ) =>
    pairs(
      ledgerFaults(
        postedOf({ nonce: 5n, ...parts }),
        { sender: account, receiver: account, token, lastBatchNum: 7, ...parties },
        feeBounds,
        refuse
      )
    )

  it("refuse a used nonce, and accept the current one and later ones", () => {
    assert.deepStrictEqual([broken({}), broken({ nonce: 6n })], [[], []])
    assert.deepStrictEqual(broken({ nonce: 4n }), [[
      "/nonce",
      "5 or more, because the sender has used the lower ones"
    ]])
  })

  it("refuse an unknown account and an account of another token", () => {
    assert.deepStrictEqual(broken({}, { sender: null }), [[
      "/fromAccountIndex",
      "an account that exists"
    ]])
    assert.deepStrictEqual(broken({}, { sender: { ...account, tokenId: 1 } }), [[
      "/tokenId",
      "1, the token of the sender's account"
    ]])
    assert.deepStrictEqual(broken({}, { receiver: null }), [[
      "/toAccountIndex",
      "an account that exists"
    ]])
    assert.deepStrictEqual(broken({}, { receiver: { ...account, tokenId: 1 } }), [[
      "/toAccountIndex",
      "an account of token 0, not of token 1"
    ]])
    for (const toAccountIndex of [null, 1]) {
      assert.deepStrictEqual(broken({ toAccountIndex }, { receiver: null }), [])
    }
    assert.deepStrictEqual(broken({}, { token: null }), [["/tokenId", "a registered token"]])
  })

  it("refuse a last batch that is already forged", () => {
    assert.deepStrictEqual([broken({ maxNumBatch: 8 }), broken({ maxNumBatch: 0 })], [[], []])
    assert.deepStrictEqual(broken({ maxNumBatch: 7 }), [[
      "/maxNumBatch",
      "0 for no limit, or 8 or more, because batch 7 is forged"
    ]])
  })

  it("refuse a fee beyond its bounds, which are included", () => {
    // a thousand units of 3 decimals at 2 dollars, times the factor of the selector
    const paid = 2 * feeFactor(126)
    assert.deepStrictEqual(broken({}, {}, { minFeeUSD: paid, maxFeeUSD: paid }), [])
    assert.deepStrictEqual(broken({}, {}, { minFeeUSD: paid * 1.01, maxFeeUSD: 9 }), [[
      "/fee",
      `a fee of at least ${paid * 1.01} US dollars, not ${paid}`
    ]])
    assert.deepStrictEqual(broken({}, {}, { minFeeUSD: 0, maxFeeUSD: paid * 0.99 }), [[
      "/fee",
      `a fee of at most ${paid * 0.99} US dollars, not ${paid}`
    ]])
  })
})
