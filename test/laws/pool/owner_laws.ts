import { Effect, type Scope } from "effect"
import type { PostedTransaction } from "../../../core/domain/mod.ts"
import { groupId, type TransactionId } from "../../../core/encoding/mod.ts"
import { findPooled, listPool } from "../../../core/use_cases/mod.ts"
import { type Law, onlyViolations, same } from "../law.ts"
import { SeededRandom } from "../_seeded_random.ts"
import { connectTransactions, postedTransferOf } from "./_pool_rows.ts"
import { openWorld, type World } from "./_pool_world.ts"
import { batchOf, ownerOf } from "./pool_network.ts"
import type { PoolSubject } from "./pool_subject.ts"

/** The account that batch 3 creates, for an owner that differs between two chains. */
const created = 262
const [first, second] = [ownerOf(8), ownerOf(9)]
const otherOwner = `Account ${created} has belonged to another owner since batch 3`

/** A node whose account belongs to the first owner, and that can give it to another one. */
interface Story {
  readonly world: World
  /** Rolls back batch 3. */
  readonly removeAccount: Effect.Effect<unknown, Error>
  /** Applies batch 3 with the account of an owner. */
  readonly give: (owner: ReturnType<typeof ownerOf>) => Effect.Effect<unknown, Error>
  readonly statesOf: (
    ...ids: ReadonlyArray<TransactionId>
  ) => Effect.Effect<ReadonlyArray<string>, Error>
  /** Returns the ids that a selection selects, and why it skips others. */
  readonly selected: Effect.Effect<{
    readonly ids: ReadonlyArray<TransactionId>
    readonly skipped: ReadonlyArray<string>
  }, Error>
  /** Returns a transfer; its id follows from the rest. */
  readonly transferOf: (parts: Partial<PostedTransaction>) => PostedTransaction
}

const opened = Effect.fnUntraced(
  function*(subject: PoolSubject): Effect.fn.Return<Story, Error, Scope.Scope> {
    const world = yield* openWorld(subject, new SeededRandom(subject.seed))
    const { chain, ledger, pool } = world
    const funding = { fromAccountIndex: 256, toAccountIndex: created, fee: 0, nonce: 0n }
    const give: Story["give"] = (owner) =>
      Effect.suspend(() =>
        ledger.applyBlock(chain.grow({
          batches: [batchOf(3, {
            l1Coordinator: [{ tokenId: 0, ...owner }],
            l2: [{ ...funding, amount: 10n ** 9n }]
          })]
        }))
      )
    yield* give(first)
    return {
      world,
      give,
      removeAccount: Effect.suspend(() => ledger.rollBack(chain.cut(1).toBlock)),
      statesOf: (...ids) =>
        Effect.forEach(
          ids,
          (id) => Effect.map(pool.transaction(id), (found) => `${found?.state} ${found?.batchNum}`)
        ),
      selected: Effect.map(
        pool.select({ maxTransactions: 9 }),
        ({ skippedTransactions, transactions }) => ({
          ids: transactions.map(({ transaction }) => transaction.id).toSorted(),
          skipped: skippedTransactions.map(({ reason }) => reason).toSorted()
        })
      ),
      transferOf: (parts) =>
        postedTransferOf(
          { fromAccountIndex: created, toAccountIndex: 256, signature: "1".repeat(128), ...parts },
          subject.keccak256
        )
    }
  }
)

/** The same transaction, signed by the second owner. */
const bySecond = <T extends PostedTransaction>(posted: T): T => ({
  ...posted,
  signature: "2".repeat(128)
})

const reasonsOf = ({ pool }: World, id: TransactionId) =>
  Effect.map(pool.transitions(id), (steps) => steps.map(({ reason, to }) => `${to} ${reason}`))

const testAccount = Effect.fnUntraced(function*(story: Story) {
  const { give, removeAccount, selected, statesOf, transferOf, world } = story
  const { pool, reader, store, submission } = world
  const own = transferOf({})
  const payment = transferOf({ fromAccountIndex: 257, toAccountIndex: created })
  const both = [own.id, payment.id]
  yield* submission.submitTransaction(own)
  yield* submission.submitTransaction(payment)

  yield* removeAccount
  yield* same(yield* statesOf(...both), ["pend null", "pend null"], () => "Without the account")
  const gone = `Account ${created} of token 0 does not exist`
  yield* same(yield* selected, { ids: [], skipped: [gone, gone] }, () => "The selection without it")

  yield* give(second)
  yield* same(yield* statesOf(...both), ["invl 3", "invl 3"], () => "With another owner")
  for (const id of both) {
    const last = (yield* reasonsOf(world, id)).at(-1)
    yield* same(last, `invl ${otherOwner}`, () => `The last step of ${id}`)
  }
  yield* same(yield* selected, { ids: [], skipped: [] }, () => "The selection with another owner")
  const ports = { pool: store, reader }
  const found = yield* findPooled(ports, own.id)
  const { address, publicKey } = first
  yield* same(found?.view.sender, { address, publicKey }, () => "The shown sender")
  const listed = (filters: Parameters<typeof listPool>[1]["filters"]) =>
    Effect.map(
      listPool(ports, { filters }),
      ({ items }) => items.map(({ transaction }) => transaction.id)
    )
  yield* same(yield* listed({ address }), both, () => "The list of the first address")
  yield* same(yield* listed({ toPublicKey: publicKey }), [payment.id], () => "Paid to its key")
  yield* same(yield* listed({ address: second.address }), [], () => "The list of the other one")

  // a replacement concerns only transactions of the same owner
  const replacement = bySecond(transferOf({ amount: 7n }))
  for (
    const [replaced, message] of [
      [
        own.id,
        `Transaction ${own.id} is of another owner of account ${created}: post a new transaction instead`
      ],
      [
        { fromAccountIndex: created, nonce: 0n },
        `There is no transaction of account ${created} with nonce 0 in the pool`
      ]
    ] as const
  ) {
    const refusal = yield* Effect.flip(submission.replaceTransaction(replaced, replacement)).pipe(
      Effect.orDie
    )
    yield* same([refusal._tag, refusal.message], ["NothingToReplace", message], () => "Replacing")
  }
  yield* same(yield* statesOf(...both), ["invl 3", "invl 3"], () => "After the refusals")

  // the first owner repeats its post: nothing changes
  const repeated = yield* submission.submitTransaction(own)
  yield* same(repeated.stored, false, () => "The repeated post of the first owner")
  const stored = yield* submission.submitTransaction(bySecond(own))
  yield* same(stored, { id: own.id, stored: true }, () => "The same transfer of the second owner")
  const again = yield* submission.submitTransaction(bySecond(own))
  yield* same(again.stored, false, () => "Its repeated post")
  yield* same(yield* reasonsOf(world, own.id), [
    "pend Posted",
    `invl ${otherOwner}`,
    `null Replaced: another owner of account ${created} posted a transaction with the same id`,
    "pend Posted"
  ], () => "The steps of the id")
  yield* same(
    yield* selected,
    { ids: [own.id], skipped: [] },
    () => "The selection of its transfer"
  )

  yield* removeAccount
  yield* give(first)
  yield* same(yield* statesOf(...both), ["invl 3", "pend null"], () => "With the first owner again")
  yield* same((yield* selected).ids, [payment.id], () => "The selection of the payment")
  yield* submission.submitTransaction(own)
  yield* same(yield* statesOf(own.id), ["pend null"], () => "Posted again by the first owner")
  yield* same((yield* pool.transaction(own.id))?.signature, own.signature, () => "The signature")
})

const testGroup = Effect.fnUntraced(function*(story: Story, { keccak256 }: PoolSubject) {
  const { give, removeAccount, selected, statesOf, transferOf, world } = story
  const { submission } = world
  const groupOf = (transactions: ReadonlyArray<PostedTransaction>) => ({
    id: groupId(transactions.map(({ id }) => id), keccak256),
    transactions: connectTransactions(transactions)
  })
  const own = groupOf([transferOf({}), transferOf({ nonce: 1n })])
  const paying = groupOf([
    transferOf({ fromAccountIndex: 257, toAccountIndex: created }),
    transferOf({ fromAccountIndex: 258 })
  ])
  const ids = [own, paying].flatMap(({ transactions }) => transactions.map(({ id }) => id))
  yield* submission.submitGroup(own)
  yield* submission.submitGroup(paying)
  const all = (state: string) => ids.map(() => state)

  yield* removeAccount
  yield* same(yield* statesOf(...ids), all("pend null"), () => "Groups without the account")
  yield* same((yield* selected).ids, [], () => "The selection without it")
  yield* give(second)
  yield* same(yield* statesOf(...ids), all("invl 3"), () => "Groups with another owner")

  const taken = { id: own.id, transactions: own.transactions.map(bySecond) }
  const stored = yield* submission.submitGroup(taken)
  yield* same(stored.stored, true, () => "The same group of the second owner")
  const again = yield* submission.submitGroup(taken)
  yield* same(again.stored, false, () => "Its repeated post")
  yield* same((yield* selected).ids, ids.slice(0, 2).toSorted(), () => "The selection of its group")

  // a single transaction takes the place of one of a group, which leaves as a whole
  yield* removeAccount
  yield* give(first)
  const single = own.transactions[1]!
  const { requestOffset: _, ...alone } = { ...single, request: null }
  yield* submission.submitTransaction(alone)
  yield* same(
    yield* statesOf(...ids),
    ["undefined undefined", "pend null", "pend null", "pend null"],
    () => "Groups with the first owner again"
  )
  yield* same((yield* selected).ids, ids.slice(2).toSorted(), () => "The selection of the payment")
})

/** Laws of transactions whose account belongs to another owner after a rollback. */
export const ownerLaws: ReadonlyArray<Law<PoolSubject>> = [
  {
    name:
      "a transaction is invalid while its account belongs to another owner, which can post one with the same id, and pending again afterwards",
    run: (subject) => run(subject, testAccount)
  },
  {
    name:
      "a group is invalid while an account of it belongs to another owner, which can post the same group, and pending again afterwards",
    run: (subject) => run(subject, testGroup)
  }
]

const run = (
  subject: PoolSubject,
  test: (story: Story, subject: PoolSubject) => Effect.Effect<void, Error>
) => onlyViolations(Effect.scoped(Effect.flatMap(opened(subject), (story) => test(story, subject))))
