import { INTERNAL_ADDRESS } from "../../../core/encoding/mod.ts"
import type { BatchCase, RollupTransaction, UserTransaction } from "../../vectors/batch_cases.ts"
import { EXIT, FIELD_ORDER, keyOf } from "./_rollup.ts"

/** A chain that shows a rule; the last batch is refused if `refused` says why. */
export interface NamedChain {
  readonly title: string
  readonly batches: ReadonlyArray<BatchCase>
  readonly refused?: string
}

const BIT_254 = 1n << 254n
const SIGN = 1n << 255n

const ann = { address: `0x${"a1".repeat(20)}`, key: keyOf(12345n) }
const bob = { address: `0x${"b2".repeat(20)}`, key: keyOf(67890n + SIGN) }

const batch = (parts: Partial<BatchCase>): BatchCase => ({
  queue: [],
  coordinator: [],
  l2: [],
  feeAccounts: [],
  ...parts
})

const user = (fromAccountIndex: number, parts: Partial<UserTransaction> = {}): UserTransaction => ({
  fromAccountIndex,
  fromAddress: fromAccountIndex === 257 ? bob.address : ann.address,
  fromPublicKey: null,
  toAccountIndex: 0,
  tokenId: fromAccountIndex === 258 ? 1 : 0,
  depositAmount: "0",
  amount: "0",
  ...parts
})

const creation = (parts: Partial<UserTransaction> = {}): UserTransaction =>
  user(0, { fromPublicKey: ann.key, ...parts })

/** Ann has account 256 with 1,000 and 258 with 77 of token 1; Bob has 257 with 500. */
const opening = batch({
  queue: [
    creation({ depositAmount: "1000" }),
    creation({ fromAddress: bob.address, fromPublicKey: bob.key, depositAmount: "500" }),
    creation({ tokenId: 1, depositAmount: "77" })
  ]
})

const forcedExit = (amount: string, parts: Partial<UserTransaction> = {}): UserTransaction =>
  user(256, { toAccountIndex: EXIT, amount, ...parts })
const byBob = { fromAddress: bob.address }

const sent = (
  fromAccountIndex: number,
  toAccountIndex: number,
  amount: string,
  nonce = 0,
  fee = 0
): RollupTransaction => ({ fromAccountIndex, toAccountIndex, amount, fee, nonce })

const after = (title: string, parts: Partial<BatchCase>, refused?: string): NamedChain => ({
  title,
  batches: [opening, batch(parts)],
  ...refused === undefined ? {} : { refused }
})

const nullifiedExits: ReadonlyArray<NamedChain> = [
  after("a forced exit of more than the balance makes a leaf of 0", {
    queue: [forcedExit("1001")]
  }),
  after("a forced exit by another owner makes a leaf of 0", { queue: [forcedExit("1", byBob)] }),
  after("a forced exit of another token makes a leaf of 0", {
    queue: [forcedExit("1", { tokenId: 1 })]
  }),
  after("a forced exit of 0 by another owner makes no leaf", { queue: [forcedExit("0", byBob)] }),
  after("forced exits without effect add 0 to the leaf of an exit with effect", {
    queue: [forcedExit("1001"), forcedExit("100"), forcedExit("7", byBob)]
  }),
  after("an L2 exit adds to a leaf of 0", {
    queue: [forcedExit("1001")],
    l2: [sent(256, EXIT, "30")]
  }),
  after("leaves of 0 of two accounts", {
    queue: [forcedExit("1", byBob), user(258, { toAccountIndex: EXIT, amount: "78" })]
  })
]

const creationExit = (amount: string): UserTransaction => creation({ toAccountIndex: EXIT, amount })

const creationsWithExit: ReadonlyArray<NamedChain> = [
  after("a creation with an exit of an amount makes a leaf of 0 under its index", {
    queue: [creationExit("7")]
  }),
  after("a creation with an exit of 0 makes no leaf", { queue: [creationExit("0")] }),
  after("creations with exits among other transactions", {
    queue: [forcedExit("10"), creationExit("7"), creation(), creationExit("0"), creationExit("9")],
    coordinator: [{ tokenId: 2, address: ann.address, publicKey: ann.key }]
  })
]

const keys: ReadonlyArray<NamedChain> = [
  ["bit 254", 5n + BIT_254],
  ["bits 254 and 255", 5n + BIT_254 + SIGN],
  ["y above the field order", FIELD_ORDER + 5n],
  ["y of the field order", FIELD_ORDER],
  ["y above the field order, and bits 254 and 255", FIELD_ORDER + 5n + BIT_254 + SIGN],
  ["all bits", (1n << 256n) - 1n],
  ["only bit 254", BIT_254]
].map(([name, bits]) => ({
  title: `an account whose key has ${name}, created by its user and by the coordinator`,
  batches: [
    opening,
    batch({
      queue: [creation({ fromPublicKey: keyOf(bits as bigint), depositAmount: "50" })],
      coordinator: [{ tokenId: 0, address: INTERNAL_ADDRESS, publicKey: keyOf(bits as bigint) }]
    }),
    batch({
      queue: [forcedExit("9", { fromAccountIndex: 259 })],
      l2: [sent(259, 260, "6"), sent(260, EXIT, "2")]
    })
  ]
}))

const fees: ReadonlyArray<NamedChain> = [
  after("of two fee accounts of a token the first collects", {
    l2: [sent(256, 257, "100", 0, 126), sent(258, EXIT, "20", 0, 160)],
    feeAccounts: [257, 256, 258]
  }),
  after("of two fee accounts of a token the first collects, also the sender's", {
    l2: [sent(256, 257, "100", 0, 126)],
    feeAccounts: [256, 257]
  }),
  after("a repeated fee account collects once", {
    l2: [sent(256, 257, "100", 0, 126)],
    feeAccounts: [257, 257, 257]
  }),
  after("64 fee accounts with repeats", {
    l2: [sent(256, 257, "100", 0, 126), sent(258, EXIT, "20", 0, 160)],
    feeAccounts: Array.from({ length: 64 }, (_, number) => 256 + number % 3)
  }),
  after("65 fee accounts", { feeAccounts: Array(65).fill(256) }, "at most 64 fee accounts")
]

const transfersOfNothing: ReadonlyArray<NamedChain> = [
  after("a transfer of 0 to an account that does not exist", { l2: [sent(256, 300, "0")] }),
  after("a transfer of 0 to an account of another token", { l2: [sent(256, 258, "0")] }),
  after("an exit of 0 makes no leaf", { l2: [sent(256, EXIT, "0")] }),
  after("transfers of 0 to the account that the next batch creates", {
    l2: [sent(256, 259, "0"), sent(257, 259, "0", 0, 200)]
  }),
  after(
    "a transfer of 1 to an account that does not exist",
    { l2: [sent(256, 300, "1")] },
    "the receiver does not exist"
  ),
  after(
    "a transfer of 1 to an account of another token",
    { l2: [sent(256, 258, "1")] },
    "the receiver has another token"
  ),
  after("an entry from index 0", { l2: [sent(0, 257, "0")] }, "no transaction"),
  after(
    "a transfer of more than the balance",
    { l2: [sent(256, 257, "1001")] },
    "the balance is lower"
  ),
  after("a wrong nonce", { l2: [sent(256, 257, "0", 1)] }, "the nonce of the account is 0")
]

const emptyKey = { address: INTERNAL_ADDRESS, publicKey: keyOf(0n) }
const emptyKeys: ReadonlyArray<NamedChain> = [
  after("accounts with key 0 by the coordinator", {
    coordinator: [{ tokenId: 0, ...emptyKey }, { tokenId: 1, ...emptyKey, address: ann.address }],
    l2: [sent(256, 259, "40"), sent(258, 260, "7", 0, 126)]
  })
]

export const namedChains: ReadonlyArray<NamedChain> = [
  ...nullifiedExits,
  ...creationsWithExit,
  ...keys,
  ...fees,
  ...transfersOfNothing,
  ...emptyKeys
]
