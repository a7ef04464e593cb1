import { Clock, Effect } from "effect"
import type { InputFault } from "../../../contract/mod.ts"
import type { PoolTransaction, PostedGroup } from "../../../domain/mod.ts"
import type { AccountIndex, Keccak256 } from "../../../encoding/mod.ts"
import type {
  LedgerReader,
  PoolLimits,
  PoolStore,
  SignatureVerifier,
  StoreFailure,
  TransactionOwners,
  VerifierBusy
} from "../../../ports/mod.ts"
import { completeGroup, faultAt, groupFaults } from "./_group_rules.ts"
import {
  type AccountsOfPosted,
  type FeeBounds,
  feeInUSDOf,
  ledgerFaults,
  ownersOf,
  partiesOf,
  type PostRules,
  type Refuse
} from "./_posted_rules.ts"
import {
  failIfRefused,
  type PoolFull,
  SubmissionConflict,
  type SubmissionRefused
} from "./submission_failures.ts"
import { isOfEarlierOwner, removeOfEarlierOwner } from "./_earlier_owner.ts"
import { reconcileWithLedger } from "../settle.ts"
import { isSamePosted } from "../_same_transaction.ts"

/** The ports of `Submission`. */
export interface SubmissionPorts {
  readonly reader: LedgerReader["Service"]
  readonly pool: PoolStore["Service"]
  readonly verifier: SignatureVerifier["Service"]
}

interface Options {
  readonly fees: FeeBounds
  readonly full: (
    limit: keyof PoolLimits,
    account: AccountIndex
  ) => Effect.Effect<never, PoolFull>
  readonly keccak256: Keccak256
  readonly limits: PoolLimits
  readonly refuse: Refuse
}

type Failure = SubmissionRefused | SubmissionConflict | PoolFull | VerifierBusy | StoreFailure

/** Returns the function that validates a group and stores it. */
export const groupSubmission = (
  ports: SubmissionPorts,
  { fees, full, keccak256, limits, refuse }: Options
) => {
  const { pool, reader, verifier } = ports
  /** Returns the ids of the group if the pool has exactly this group; fails otherwise. */
  const acknowledge = Effect.fnUntraced(function*({ id, transactions }: PostedGroup) {
    const ids = transactions.map((each) => each.id)
    const stored = yield* pool.members([id])
    const isSame = stored.length === transactions.length &&
      stored.every(({ transaction: { group, ...known } }, position) =>
        known.id === ids[position] && isSamePosted(known, transactions[position]!) &&
        group?.requestOffset === transactions[position]!.requestOffset
      )
    if (!isSame) {
      return yield* new SubmissionConflict({
        faults: [
          refuse(
            "atomicGroupId",
            id,
            "the stored group, or one of unused ids: another transaction is stored under an id of this group"
          )
        ]
      })
    }
    yield* reconcileWithLedger(ports, stored)
    return { ids, stored: false }
  })

  const checkRules = Effect.fnUntraced(function*(
    { transactions }: PostedGroup,
    parties: ReadonlyArray<AccountsOfPosted>
  ) {
    const sumUSD = transactions.reduce(
      (sum, each, position) => sum + feeInUSDOf(each, parties[position]!.token),
      0
    )
    yield* failIfRefused([
      ...transactions.flatMap((each, position) =>
        ledgerFaults(each, parties[position]!, anyFee, refuse).map(faultAt(position))
      ),
      ...averageFaults(sumUSD / transactions.length, fees, refuse)
    ])
  })

  const checkSpace = Effect.fnUntraced(function*({ transactions }: PostedGroup) {
    const [first] = transactions
    if ((yield* pool.counts).pend + transactions.length > limits.pendingMax) {
      return yield* full("pendingMax", first!.fromAccountIndex)
    }
  })

  const checkSignatures = Effect.fnUntraced(
    function*({ transactions }: PostedGroup, owners: ReadonlyArray<TransactionOwners>) {
      const faults: Array<InputFault> = []
      for (const [position, transaction] of transactions.entries()) {
        if (yield* verifier.transaction(transaction, owners[position]!.sender.publicKey)) continue
        faults.push(
          faultAt(position)(refuse(
            "signature",
            transaction.signature,
            "a valid signature of this transaction by the key of the sender's account"
          ))
        )
      }
      yield* failIfRefused(faults)
    }
  )

  return Effect.fnUntraced(function*(
    input: PostedGroup,
    rules: PostRules
  ): Effect.fn.Return<Stored, Failure> {
    const group = completeGroup(input)
    yield* failIfRefused(groupFaults(group, refuse, keccak256, rules))
    const ids = group.transactions.map((each) => each.id)
    const parties = yield* Effect.forEach(group.transactions, (each) => partiesOf(reader, each))
    const known = yield* pool.pooled(ids)
    const isKnown = known.some((row) => {
      const position = ids.indexOf(row.transaction.id)
      return !isOfEarlierOwner(row, group.transactions[position]!, parties[position]!.sender)
    })
    if (isKnown) return yield* acknowledge(group)

    yield* checkRules(group, parties)
    yield* checkSpace(group)
    const owners = parties.map(ownersOf)
    yield* checkSignatures(group, owners)
    if (!(yield* removeOfEarlierOwner(ports, known))) return yield* acknowledge(group)
    const timestampMs = yield* Clock.currentTimeMillis
    const rows = group.transactions.map(({ requestOffset, ...posted }, position) => ({
      ...owners[position]!,
      transaction: {
        ...posted,
        group: { id: group.id, position, size: ids.length, requestOffset },
        state: "pend",
        timestampMs,
        batchNum: null
      } satisfies PoolTransaction
    }))
    const added = yield* pool.addGroup(rows, limits)
    switch (added.kind) {
      case "added":
        // blocks that were applied since the checks were settled without this group
        yield* reconcileWithLedger(ports, rows)
        return { ids, stored: true }
      case "known":
        return yield* acknowledge(group)
      case "full":
        return yield* full(added.limit, added.account)
    }
  })
}

interface Stored {
  readonly ids: ReadonlyArray<string>
  readonly stored: boolean
}

/** The bounds apply to the average of a group, not to each of its transactions. */
const anyFee: FeeBounds = { minFeeUSD: 0, maxFeeUSD: Infinity }

function* averageFaults(averageUSD: number, { maxFeeUSD, minFeeUSD }: FeeBounds, refuse: Refuse) {
  if (averageUSD < minFeeUSD) {
    yield refuse(
      "transactions",
      averageUSD,
      `an average fee of at least ${minFeeUSD} US dollars`,
      "feeTooLow"
    )
  }
  if (averageUSD > maxFeeUSD) {
    yield refuse(
      "transactions",
      averageUSD,
      `an average fee of at most ${maxFeeUSD} US dollars`,
      "feeTooBig"
    )
  }
}
