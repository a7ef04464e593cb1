import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { keccak256, signTransaction } from "../../adapters/crypto/mod.ts"
import { memoryNode } from "../_memory_node.ts"
import { driveOnce, simulate } from "../../app/simulator/mod.ts"
import type { Exit } from "../../core/domain/mod.ts"
import { EXIT_ACCOUNT } from "../../core/encoding/mod.ts"
import { LedgerReader } from "../../core/ports/mod.ts"
import { Ledger, Submission } from "../../core/use_cases/mod.ts"
import { postedTransferOf } from "../laws/pool/_pool_rows.ts"

const simulation = simulate({
  seed: "outside",
  users: 20,
  rollBackPeriodBlocks: 0,
  placeholderRoots: true
})
const { demoWallet: demo, genesis: { network } } = simulation

/** Posts an exit of the demo wallet's ether, as a user would. */
const leave = Effect.fnUntraced(function*(amount: bigint) {
  const [account] = simulation.demoAccounts()
  const unsigned = postedTransferOf({
    type: "Exit",
    fromAccountIndex: account!.index,
    toAccountIndex: EXIT_ACCOUNT,
    amount,
    fee: 100,
    nonce: account!.nonce
  }, keccak256)
  const signature = signTransaction(demo.privateKey, unsigned, network.chainId)
  yield* (yield* Submission).submitTransaction({ ...unsigned, signature })
})

/**
 * Runs the network until the demo wallet's newest exit has this amount and is withdrawn; returns it
 * with the number of its block.
 */
const withdrawn = Effect.fnUntraced(function*(amount: bigint) {
  const reader = yield* LedgerReader
  for (let blocks = 0; blocks < 100; blocks++) {
    for (const record of yield* driveOnce(simulation)) {
      if (record.kind === "block") timesMs.set(record.block.number, record.block.timestampMs)
    }
    const { items: [newest] } = yield* reader.list("exits", {
      filters: { publicKey: demo.publicKey },
      limit: 1,
      order: "DESC"
    })
    const exit: Exit | undefined = newest?.exit
    if (exit?.balance !== amount || (exit.instantWithdrawn ?? exit.delayedWithdrawn) === null) {
      continue
    }
    const { item: batch } = yield* reader.find("batch", exit.batchNum)
    return { exit, forged: batch!.ethereumBlockNum }
  }
  return assert.fail(`The exit of ${amount} was not withdrawn in 100 blocks`)
})

/** The time of each block. */
const timesMs = new Map<bigint, number>()
/** The longest delay of the simulated delayer. */
const delayMaxMs = 180_000

describe("An exit of a wallet that the simulator does not control", () => {
  it.effect("is withdrawn two blocks later, or requested then and collected after the delay if it is worth more than 1000 US dollars", () =>
    Effect.gen(function*() {
      const ledger = yield* Ledger
      while (simulation.demoAccounts().length === 0) yield* ledger.applyRecord(simulation.next())
      for (
        const [amount, instant] of [[10n ** 16n, true], [10n ** 18n, false], [
          3n * 10n ** 17n,
          true
        ]] as const
      ) {
        yield* leave(amount)
        const { exit: { delayedWithdrawRequest, delayedWithdrawn, instantWithdrawn }, forged } =
          yield* withdrawn(amount)
        assert.deepStrictEqual(
          [instantWithdrawn, delayedWithdrawRequest],
          instant ? [forged + 2n, null] : [null, forged + 2n]
        )
        if (instant) continue
        const [requestedMs, collectedMs] = [forged + 2n, delayedWithdrawn!].map((block) =>
          timesMs.get(block)!
        ) as [number, number]
        assert.isAtLeast(collectedMs - requestedMs, 60_000)
        assert.isBelow(collectedMs - requestedMs, delayMaxMs + 15_000)
      }
    }).pipe(Effect.provide(memoryNode({ genesis: simulation.genesis }))))
})
