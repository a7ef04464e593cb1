import { Result } from "effect"
import { keccak256 } from "../../adapters/hashing/mod.ts"
import { openAuditedLedger } from "../../adapters/memory/mod.ts"
import type { Account, BatchFeed, L1UserFeed } from "../../core/domain/mod.ts"
import type { BatchEvidence } from "../../core/use_cases/audit/_batch_evidence.ts"
import { type AuditReport, auditBatch, Findings } from "../../core/use_cases/mod.ts"
import {
  ann,
  batchOf,
  block101,
  block102,
  block103,
  block104,
  bob,
  cleo,
  declared,
  exitOf,
  forcedExit,
  internal,
  l1Of,
  l2Of
} from "../use_cases/_chain.ts"
import { genesis, keyOf } from "../use_cases/_network.ts"

const nothing = { effectiveDepositAmount: 0n, effectiveAmount: 0n }

/** User transactions and their effects. */
const users: ReadonlyArray<readonly [L1UserFeed, effect?: typeof nothing]> = [
  [forcedExit],
  [l1Of(2, 1, { fromAddress: bob.address, fromAccountIndex: 257, depositAmount: 50n })],
  [l1Of(2, 2, {
    fromAddress: cleo.address,
    fromPublicKey: cleo.key,
    fromAccountIndex: 0,
    toAccountIndex: 257,
    depositAmount: 40n,
    amount: 7n
  })],
  // more than Ann has
  [l1Of(2, 3, { toAccountIndex: 257, amount: 10n ** 9n }), nothing],
  [l1Of(2, 4, { fromPublicKey: ann.key, fromAccountIndex: 0, depositAmount: 20n })],
  // to and from accounts that did not exist when it was queued
  [l1Of(2, 5, { toAccountIndex: 261, amount: 1n })],
  [l1Of(2, 6, { fromAddress: cleo.address, fromAccountIndex: 260, depositAmount: 2n })],
  // another token than that of the account
  [l1Of(2, 7, { fromAddress: cleo.address, fromAccountIndex: 258, depositAmount: 5n }), nothing]
]

type Content = Pick<BatchFeed, "l1Coordinator" | "l2" | "exits">

/**
 * Returns the stored rows of batch 3 with this queue and content; Bob collects the fees of ether.
 */
function evidenceOf(forged: typeof users, content: Content): BatchEvidence {
  const { applyRecord, ledger } = openAuditedLedger(genesis, keccak256)
  const accounts = () =>
    new Map(
      Result.getOrThrow(ledger.list("accounts", { filters: {}, limit: 50 })).items.map((
        { account }
      ): [number, Account] => [account.index, account])
    )
  const queue = forged.map(([feed]) => feed)
  for (const block of [block101, block102, { ...block103, l1UserTransactions: queue }]) {
    Result.getOrThrow(applyRecord({ kind: "block", block }))
  }
  const before = accounts()
  const batches = [batchOf(3, {
    exitRoot: 55n,
    feeAccounts: [257],
    forgeL1TransactionsNum: 2,
    l1UserEffects: forged.map(([feed, effect]) => effect ?? declared(feed)),
    ...content
  })]
  Result.getOrThrow(applyRecord({ kind: "block", block: { ...block104, batches } }))
  const after = accounts()
  const { batch, transactions } = ledger.find("fullBatch", 3).item!
  return {
    batch,
    transactions: transactions.map(({ transaction }) => transaction),
    exits: Result.getOrThrow(ledger.list("exits", { filters: {}, limit: 50 })).items.map((
      { exit }
    ) => exit),
    changes: ledger.block(block104.number)!.batches[0]!.accountChanges,
    lastAccountBefore: Math.max(...before.keys()),
    stored: (index) => after.get(index),
    before: (index) => before.get(index),
    token: (id) => ledger.find("token", id).item ?? undefined
  }
}

const created = { ...internal, tokenId: 0, publicKey: internal.key, signature: null }

/**
 * Returns a batch with everything: user transactions with every outcome, two internal accounts, and
 * L2 transfers of which one pays a fee and one exits.
 */
export const evidenceOfBatch3 = (): BatchEvidence =>
  evidenceOf(users, {
    l1Coordinator: [created, { ...created, publicKey: keyOf("7") }].map((
      { address, publicKey, signature, tokenId }
    ) => ({ address, publicKey, signature, tokenId })),
    l2: [
      l2Of(256, 257, { amount: 100n, fee: 126 }),
      l2Of(257, 1, { amount: 5n }),
      l2Of(260, 263, { amount: 3n }),
      l2Of(258, 259, { amount: 1n })
    ],
    exits: [exitOf(55n, 256, 100n), exitOf(55n, 257, 5n)]
  })

/** Bob collects as much as leaves his account; of Cleo's account only the nonce changes. */
export const evidenceOfEvenBatch = (): BatchEvidence =>
  evidenceOf([[
    l1Of(2, 0, { fromAddress: bob.address, fromAccountIndex: 257, toAccountIndex: 1, amount: 10n })
  ]], {
    l1Coordinator: [],
    l2: [l2Of(256, 1, { amount: 100n, fee: 126 }), l2Of(258, 259, { amount: 0n })],
    exits: [exitOf(55n, 256, 100n), exitOf(55n, 257, 10n)]
  })

export function reportOf(evidence: BatchEvidence): AuditReport {
  const findings = new Findings()
  auditBatch({ genesis, keccak256 }, evidence, findings)
  return findings.report()
}

/**
 * Returns the violations that an audit of a batch finds: check, place, actual and expected value.
 */
export const violationsOf = (evidence: BatchEvidence): ReadonlyArray<string> =>
  reportOf(evidence).violations.map(({ check, expected, found, place }) =>
    `${check}: ${place}: ${found}, expected ${expected}`
  )
