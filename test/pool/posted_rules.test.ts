/* Both sides of each bound of a posted body, and the messages for values beyond them. */
import { assert, describe, it } from "@effect/vitest"
import { keccak256 } from "../../adapters/hashing/mod.ts"
import type { Account, PostedTransaction, Token } from "../../core/domain/mod.ts"
import {
  EMPTY_PUBLIC_KEY,
  feeFactor,
  INTERNAL_ADDRESS,
  ZERO_ADDRESS
} from "../../core/encoding/mod.ts"
import {
  authorizationFaults,
  ledgerFaults,
  postedFaults,
  refuseFor,
  withoutEmptyParts
} from "../../core/use_cases/pool/submission/_posted_rules.ts"
import { requestOf } from "./_groups.ts"
import { ownerOf, postedOf } from "./_node.ts"
import { exit, toAddress } from "./_story.ts"

type Parts = Partial<PostedTransaction>
type Rows = ReadonlyArray<readonly [Parts, ...rules: ReadonlyArray<string>]>

const refuse = refuseFor({ prefix: "zk" })
const owner = ownerOf(1)
const told = (faults: ReadonlyArray<{ readonly parameter: string; readonly rule: string }>) =>
  faults.map(({ parameter, rule }) => `${parameter}: ${rule}`)
const brokenBy = (parts: Parts) => told(postedFaults(postedOf(parts), refuse, keccak256))
/** The name of the same member of a requested transaction. */
const requested = (text: string) =>
  text.replace(/^\/(\w)/u, (_, letter: string) => `/request${letter.toUpperCase()}`)
const request = { ...requestOf(postedOf()), amount: 5n, fee: 3, nonce: 4n }
const [large, fraction] = [10n ** 30n, 2n ** 35n + 1n]
const amountMax = (2n ** 35n - 1n) * 10n ** 31n
const range = `/amount: an amount from 0 to ${amountMax}`
const selector = "/fee: a fee selector from 0 to 255"
const nonceRule = "/nonce: a nonce below 2^40, the bound of the signed message"

/** Values of numbers, alone and in a requested transaction. */
const numbers: Rows = [
  [{ amount: 0n }],
  [{ amount: amountMax, fee: 0 }],
  [{ fee: 0 }],
  [{ fee: 255, amount: 1n }],
  [{ nonce: 2n ** 40n - 1n }],
  [{ amount: -1n }, range],
  [{ amount: fraction }, "/amount: an amount of at most 35 significant bits times a power of ten"],
  [{ amount: 2n ** 192n - 1n, fee: 0 }, range],
  [{ amount: 2n ** 192n, fee: 0 }, range, "/amount: an amount below 2^192"],
  [{ fee: -1 }, selector],
  [{ fee: 1.5 }, selector],
  [{ fee: 256 }, selector],
  [
    { amount: large, fee: 255 },
    `/fee: a fee selector whose fee on ${large} units fits in 128 bits`
  ],
  [{ nonce: -1n }, nonceRule],
  [{ nonce: 2n ** 40n }, nonceRule]
]
const named = "null, because toAccountIndex is the destination"
const account = "/toAccountIndex: 1 for an exit or 256 and more for an account"
const { address, publicKey } = owner
const bodies: Rows = [
  [{ ...exit, amount: 0n }, "/amount: more than 0 units for an exit"],
  [{ ...exit, amount: 1n }],
  [{ toAccountIndex: 256 }],
  [{ toAccountIndex: 255 }, account],
  [{ toAccountIndex: 2 }, account],
  [{ toAddress: address }, `/toZkEthereumAddress: ${named}`],
  [{ toPublicKey: publicKey }, `/toBjj: ${named}`],
  [
    { toAccountIndex: null, toPublicKey: publicKey },
    "/toZkEthereumAddress: the address of all F, because toBjj is set"
  ],
  [
    { toAccountIndex: null, toAddress: address, toPublicKey: publicKey },
    "/toZkEthereumAddress: the address of all F, because toBjj is set"
  ],
  [
    { toAccountIndex: null, toAddress: INTERNAL_ADDRESS },
    "/toBjj: a key, because the address is all F"
  ],
  [
    { toAccountIndex: null },
    "/toAccountIndex: a destination: an account, the exit, an Ethereum address, or a key with the address of all F"
  ],
  [
    { ...toAddress(1), type: "Transfer" },
    "/type: TransferToEthAddr, the type for this destination"
  ],
  [
    { id: postedOf({ nonce: 1n }).id },
    `/id: ${postedOf().id}, recomputed from sender, token, amount, nonce and fee`
  ],
  ...(["fromAccountIndex", "tokenId", "amount", "fee", "nonce"] as const).map((name) =>
    [
      { request: { ...request, [name]: null } },
      requested(`/${name}: a requested transaction with its sender, token, amount, fee and nonce`)
    ] as const
  ),
  ...(["toAccountIndex", "toAddress", "toPublicKey"] as const).map((name) =>
    [{ request: { ...request, [name]: null } }] as const
  )
]

describe("the rules of a body by itself", () => {
  it("name property, value and rule, with the names of the network", () => {
    assert.deepStrictEqual(refuseFor({ prefix: "hez" })("toZkEthereumAddress", address, "null"), {
      in: "body",
      parameter: "/toHezEthereumAddress",
      value: address,
      rule: "null",
      message: `Property toHezEthereumAddress has the value ${address}: expected null`
    })
    assert.deepStrictEqual(refuse("toBjj", null, "a key"), {
      in: "body",
      parameter: "/toBjj",
      value: null,
      rule: "a key",
      message: "Property toBjj is missing: expected a key"
    })
  })

  it("accept numbers at their bounds and refuse those beyond, also of a requested transaction", () => {
    for (const [parts, ...rules] of numbers) {
      assert.deepStrictEqual(brokenBy(parts), rules)
      const of = { request: { ...request, ...parts } as typeof request }
      assert.deepStrictEqual(brokenBy(of), rules.map(requested))
    }
  })

  it("refuse contradictory destinations, incomplete requests and other ids", () => {
    for (const [parts, ...rules] of bodies) assert.deepStrictEqual(brokenBy(parts), rules)
  })

  it("accept other ways to say that a part is absent", () => {
    const none = { toAccountIndex: 0, toAddress: ZERO_ADDRESS, toPublicKey: EMPTY_PUBLIC_KEY }
    const absent = { toAccountIndex: null, toAddress: null, toPublicKey: null }
    assert.deepInclude(withoutEmptyParts(postedOf(none)), absent)
    const explicit = { toAccountIndex: 1, toAddress: address, toPublicKey: publicKey }
    assert.deepInclude(withoutEmptyParts(postedOf(explicit)), explicit)
  })

  it("refuse an authorization without owner or key", () => {
    const noOwner = "/zkEthereumAddress: an address that is neither zero nor all F"
    for (
      const [parts, ...rules] of [
        [{}],
        [{ address: ZERO_ADDRESS }, noOwner],
        [{ address: INTERNAL_ADDRESS }, noOwner],
        [{ publicKey: EMPTY_PUBLIC_KEY }, "/bjj: a key"]
      ] as const
    ) {
      assert.deepStrictEqual(told(authorizationFaults({ ...owner, ...parts }, refuse)), [...rules])
    }
  })
})

describe("the rules of a body against the ledger", () => {
  const own = { tokenId: 0, nonce: 5n } as Account
  const other = { ...own, tokenId: 1 }
  const parties = {
    sender: own,
    receiver: own,
    token: { decimals: 3, priceUSD: 2 } as Token,
    lastBatchNum: 7
  }
  // a thousand units of 3 decimals at 2 dollars, times the factor of the selector
  const paid = 2 * feeFactor(126)
  type Against = Parameters<typeof ledgerFaults>
  const rows: ReadonlyArray<
    readonly [Parts, Partial<Against[1]>, Partial<Against[2]>, ...rules: ReadonlyArray<string>]
  > = [
    [{}, {}, {}],
    [{ nonce: 6n }, {}, {}],
    [{ nonce: 4n }, {}, {}, "/nonce: 5 or more, because the sender has used the lower ones"],
    [{}, { sender: null }, {}, "/fromAccountIndex: an account that exists"],
    [{}, { sender: other }, {}, "/tokenId: 1, the token of the sender's account"],
    [{}, { receiver: null }, {}, "/toAccountIndex: an account that exists"],
    [{}, { receiver: other }, {}, "/toAccountIndex: an account of token 0, not of token 1"],
    [{ toAccountIndex: null }, { receiver: null }, {}],
    [{ toAccountIndex: 1 }, { receiver: null }, {}],
    [{}, { token: null }, {}, "/tokenId: a registered token"],
    [{ maxNumBatch: 8 }, {}, {}],
    [{ maxNumBatch: 0 }, {}, {}],
    [
      { maxNumBatch: 7 },
      {},
      {},
      "/maxNumBatch: 0 for no limit, or 8 or more, because batch 7 is forged"
    ],
    [{}, {}, { minFeeUSD: paid, maxFeeUSD: paid }],
    [
      {},
      {},
      { minFeeUSD: paid * 1.01 },
      `/fee: a fee of at least ${paid * 1.01} US dollars, not ${paid}`
    ],
    [
      {},
      {},
      { maxFeeUSD: paid * 0.99 },
      `/fee: a fee of at most ${paid * 0.99} US dollars, not ${paid}`
    ]
  ]
  for (const [parts, against, bounds, ...rules] of rows) {
    it(`say ${rules.join() || `nothing of ${Object.keys({ ...parts, ...bounds }).join()}`}`, () => {
      const faults = ledgerFaults(
        postedOf({ nonce: 5n, ...parts }),
        { ...parties, ...against },
        { minFeeUSD: 0, maxFeeUSD: Infinity, ...bounds },
        refuse
      )
      assert.deepStrictEqual(told(faults), rules)
    })
  }
})
