/* The answers and refusals of reads, and the parts of the ledger that each answer depends on. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { keccak256 } from "../../adapters/crypto/mod.ts"
import { layer, poolLayer } from "../../adapters/memory/mod.ts"
import {
  later,
  type OperationId,
  operations,
  readOperationsOf,
  revisions,
  v1,
  wireContext
} from "../../core/contract/mod.ts"
import type { PostedTransaction } from "../../core/domain/mod.ts"
import {
  LedgerReader,
  ledgerParts,
  LedgerWriter,
  type PartVersions,
  PoolStore,
  StoreFailure,
  versionsOf
} from "../../core/ports/mod.ts"
import {
  feedPosition,
  Ledger,
  type ReadFailure,
  readInterfaces,
  returnsOneBatch
} from "../../core/use_cases/mod.ts"
import { postedOf } from "../pool/_node.ts"
import { ann, batchOf, blockOf, bob, chain, internal, l2Of } from "./_chain.ts"
import { addressOf, genesis } from "./_network.ts"

const context = wireContext(genesis.network, keccak256)
const constants = genesis.constants
const over = Ledger.layer(genesis, keccak256).pipe(
  Layer.provideMerge(Layer.merge(layer(genesis), poolLayer))
)

const pooled = (
  parts: Partial<PostedTransaction> = {}
) => ({ ...postedOf(parts), state: "pend", timestampMs: 0, batchNum: null } as const)
const limits = { pendingMax: 9, pendingPerAccountMax: 9 }
const owners = { sender: { address: ann.address, publicKey: ann.key }, receiver: null }

/** Returns every read over the whole chain. */
const readings = Effect.gen(function*() {
  const ledger = yield* Ledger
  yield* Effect.forEach(chain, ledger.applyBlock)
  const [latest] = yield* readInterfaces({ context, constants, revisions: [later] })
  return latest!.operations
})
const refusalOf = <A>(reading: Effect.Effect<A, ReadFailure>) =>
  Effect.map(
    Effect.flip(reading),
    (failure) =>
      failure._tag === "BadInput"
        ? failure.faults.map(({ parameter }) => parameter)
        : [failure._tag, failure.message]
  )

describe("a read", () => {
  it.effect("carries the item ids of the first and the last item of its page, in both orders", () =>
    Effect.gen(function*() {
      const ledger = yield* Ledger
      yield* Effect.forEach(chain, ledger.applyBlock)
      const served = Object.values(revisions)
      for (
        const { operations, revision } of yield* readInterfaces({
          context,
          constants,
          revisions: served
        })
      ) {
        for (const [id, operation] of readOperationsOf(revision)) {
          if (operation.kind !== "list") continue
          for (const order of ["ASC", "DESC"]) {
            const filter = operation.list === "bids" ? "&slotNum=5" : ""
            const { json, page } = yield* operations[id]!([], `limit=3&order=${order}${filter}`)
            const items = Object.values(JSON.parse(json)).find(Array.isArray)
            const ids = items!.map((item) =>
              operation.list === "slots" ? item.slotNum : item.itemId
            )
            assert.deepStrictEqual(
              page,
              ids.length === 0 ? null : { firstItem: ids[0], lastItem: ids.at(-1) },
              `${revision.name} ${id}: ${json}`
            )
          }
        }
      }
    }).pipe(Effect.provide(over)))

  it.effect("refuses every violation of the path and an unexpected query, all at once", () =>
    Effect.gen(function*() {
      const read = yield* readings
      assert.deepStrictEqual(yield* refusalOf(read.getBatch(["x"], "a=1&b=2")), [
        "batchNum",
        "a",
        "b"
      ])
      assert.deepStrictEqual(yield* refusalOf(read.getState([], "a=1")), ["a"])
      assert.deepStrictEqual(yield* refusalOf(read.getExit(["-1", "y"], "")), [
        "batchNum",
        "accountIndex"
      ])
      assert.deepStrictEqual(yield* refusalOf(read.getTokens([], "limit=0")), ["limit"])
    }).pipe(Effect.provide(over)))

  it.effect("names a missing item as it was requested, and the snapshot if the ledger decides", () =>
    Effect.gen(function*() {
      const read = yield* readings
      const snapshotId = yield* (yield* LedgerReader).snapshotId
      const { id } = pooled()
      const owner = `zk:${ann.address}`
      const absent: ReadonlyArray<readonly [OperationId, path: string, what: string]> = [
        ["getBatch", "77", "batch with batchNum 77"],
        ["getFullBatch", "77", "batch with batchNum 77"],
        ["getExit", "2 zk:ETH:256", "exit with batchNum 2 and accountIndex zk:ETH:256"],
        ["getAccount", "zk%3AETH%3A999", "account with accountIndex zk:ETH:999"],
        ["getToken", "9", "token with id 9"],
        ["getHistoryTx", id, `transaction in the history with id ${id}`],
        ["getCoordinator", addressOf("9"), `coordinator with bidderAddr ${addressOf("9")}`],
        ["getPoolTx", id, `transaction in the pool with id ${id}`],
        [
          "getAccountCreationAuthorization",
          owner,
          `account-creation authorization with zkEthereumAddress ${owner}`
        ]
      ]
      for (const [operation, path, what] of absent) {
        const failure = yield* Effect.flip(read[operation]!(path.split(" "), ""))
        const ofPool = /Pool|Authorization/u.test(operation)
        assert.deepStrictEqual(
          [failure._tag, failure.message, "snapshotId" in failure ? failure.snapshotId : null],
          ["NotFound", `There is no ${what}`, ofPool ? null : snapshotId]
        )
      }
    }).pipe(Effect.provide(over)))

  it.effect("knows an account by the symbol of its token, also if a transfer of 0 of another token named it before it existed", () =>
    Effect.gen(function*() {
      const ledger = yield* Ledger
      yield* Effect.forEach(chain, ledger.applyBlock)
      const created = {
        address: internal.address,
        publicKey: internal.key,
        tokenId: 1,
        signature: null
      }
      const ofEther = l2Of(256, 260, { amount: 0n, nonce: 1n })
      yield* ledger.applyBlock(blockOf(107n, { batches: [batchOf(4, { l2: [ofEther] })] }))
      yield* ledger.applyBlock(
        blockOf(108n, { batches: [batchOf(5, { l1Coordinator: [created] })] })
      )
      const [latest] = yield* readInterfaces({ context, constants, revisions: [later] })
      const read = (index: string) => latest!.operations.getHistoryTxs([], `accountIndex=${index}`)
      const { json } = yield* read("zk:ONE:260")
      assert.deepStrictEqual(
        JSON.parse(json).transactions.map(({ type }: { readonly type: string }) => type),
        ["Transfer", "CreateAccountDeposit"]
      )
      assert.deepStrictEqual(yield* refusalOf(read("zk:ETH:260")), [
        "NotFound",
        'There is no account "zk:ETH:260": the account with this number is zk:ONE:260'
      ])
    }).pipe(Effect.provide(over)))

  it.effect("combines a transaction of the pool with the ledger, and depends on no part of it alone", () =>
    Effect.gen(function*() {
      const read = yield* readings
      const pool = yield* PoolStore
      const request = {
        fromAccountIndex: 257,
        toAccountIndex: 256,
        toAddress: null,
        toPublicKey: null,
        tokenId: 1,
        amount: 1n,
        fee: 0,
        nonce: 0n
      }
      const all = [
        pooled(),
        pooled({ amount: 1n, request }),
        pooled({ amount: 2n, request: { ...request, tokenId: null } }),
        pooled({ fromAccountIndex: 999 })
      ]
      for (const transaction of all) yield* pool.addTransaction(transaction, owners, limits)
      const answers = yield* Effect.forEach(all, ({ id }) => read.getPoolTx([id], ""))
      for (const { dependsOn } of answers) assert.isUndefined(dependsOn)
      const shown = answers.map(({ json }) => JSON.parse(json))
      assert.deepStrictEqual(shown.map(({ requestFromAccountIndex }) => requestFromAccountIndex), [
        null,
        "zk:ONE:257",
        "zk::257",
        null
      ])
      assert.deepStrictEqual(shown.map(({ fromZkEthereumAddress }) => fromZkEthereumAddress), [
        ...Array<string>(4).fill(context.address(ann.address))
      ])
      yield* pool.addAuthorization({
        ...bob,
        publicKey: bob.key,
        signature: `0x${"0".repeat(130)}`,
        timestampMs: 0
      })
      const authorization = yield* read.getAccountCreationAuthorization([`zk:${bob.address}`], "")
      assert.deepStrictEqual([authorization.dependsOn, authorization.snapshotId], [
        undefined,
        yield* (yield* LedgerReader).snapshotId
      ])
    }).pipe(Effect.provide(over)))

  it.effect("of the pool reports a token that was rolled back", () =>
    Effect.gen(function*() {
      const [ledger, reader, pool] = [yield* Ledger, yield* LedgerReader, yield* PoolStore]
      const transaction = pooled({ tokenId: 1 })
      yield* pool.addTransaction(transaction, owners, limits)
      const [latest] = yield* readInterfaces({ context, constants, revisions: [later] })
      const reading = latest!.operations.getPoolTx([transaction.id], "")
      const failure = yield* Effect.flip(reading)
      assert.deepStrictEqual([failure._tag, failure.message], [
        "StoreFailure",
        "Token 1 of a transaction is no longer registered after a rollback: try again later"
      ])
      assert.isTrue(failure._tag === "StoreFailure" && failure.retry)
      yield* Effect.forEach(chain, ledger.applyBlock)
      assert.deepStrictEqual((yield* reading).snapshotId, yield* reader.snapshotId)
    }).pipe(Effect.provide(over)))
})

describe("the last block", () => {
  it.effect("is known to its writer without a read", () =>
    Effect.gen(function*() {
      const [ledger, reader] = [yield* Ledger, yield* LedgerReader]
      assert.deepStrictEqual((yield* feedPosition).lastBlock, genesis.block)
      yield* Effect.forEach(chain, ledger.applyBlock)
      const snapshotId = yield* reader.snapshotId
      assert.strictEqual((yield* feedPosition).lastBlock.hash, chain.at(-1)!.hash)
      assert.deepStrictEqual(yield* reader.snapshotId, snapshotId)
    }).pipe(Effect.provide(over)))

  it.effect("is unknown if the store fails", () =>
    Effect.gen(function*() {
      const failure = new StoreFailure({ message: "The database is gone", retry: true })
      const gone = Layer.mock(LedgerWriter, { setPrices: () => Effect.fail(failure) })
      assert.strictEqual(yield* Effect.flip(Effect.provide(feedPosition, gone)), failure)
    }))
})

describe("an answer", () => {
  const snapshotId = { ethereumBlockNum: 125n, batchNum: 3, version: 9 }
  it.effect("of a list with queued transactions depends on every block", () =>
    Effect.gen(function*() {
      const [served] = yield* readInterfaces({ context, constants, revisions: [v1] })
      const dependsOn = Effect.fnUntraced(function*(query: string) {
        return (yield* served!.operations.getHistoryTxs([], query)).dependsOn?.join(" ")
      })
      assert.strictEqual(yield* dependsOn("includePendingL1s=true"), "rollBacks tokens blocks")
      assert.strictEqual(
        yield* dependsOn("includePendingL1s=false"),
        "rollBacks tokens transactions"
      )
    }).pipe(Effect.provide(over)))

  it("has a tag of the versions that it depends on", () => {
    const parts = Object.fromEntries(
      ledgerParts.map((part, place) => [part, 40 * place])
    ) as PartVersions
    assert.strictEqual(
      versionsOf(["rollBacks", "tokens", "slot"], { snapshotId, parts }, constants),
      `0.${(80).toString(36)}.2`
    )
    assert.strictEqual(versionsOf([], { snapshotId, parts }, constants), "")
  })

  it("contains one batch alone if an operation names a batch, and the rest of its transactions nowhere", () => {
    assert.deepStrictEqual(
      Object.entries(operations).filter(([, each]) => returnsOneBatch(each)).map(([id]) => id),
      ["getBatch"]
    )
  })
})
