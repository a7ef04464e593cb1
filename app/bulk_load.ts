import { Effect, type Scope } from "effect"
import { verifyExitProof } from "../adapters/crypto/mod.ts"
import { exitWorkers } from "../adapters/crypto/node.ts"
import { keccak256 } from "../adapters/hashing/mod.ts"
import type { BulkWriter } from "../adapters/sql/mod.ts"
import { type BlockFeed, type BlockViolation, decideBlock, type GenesisFeed, type StoreFailure, type VerifyExit } from "../core/mod.ts"

/** Loads consecutive blocks with all checks, in one transaction. */
export type LoadBlocks = (blocks: ReadonlyArray<BlockFeed>) => Effect.Effect<unknown, BlockViolation | StoreFailure>

/** The dearest check is that of the proofs of exits: other threads do it while the database writes, and it commits when all proofs are right. */
export const bulkLoad = (bulk: BulkWriter["Service"], { constants, network }: GenesisFeed): Effect.Effect<LoadBlocks, never, Scope.Scope> =>
  Effect.map(exitWorkers(network), ({ verifyAll }) => (blocks) => {
    const proofs: Array<Parameters<VerifyExit>> = []
    const noteProof: VerifyExit = (...proof) => proofs.push(proof) > 0
    const decide = (verifyExit: VerifyExit) => (block: BlockFeed) => decideBlock({ constants, keccak256, verifyExit }, block)
    const check = Effect.flatMap(Effect.suspend(() => verifyAll(proofs)), (right) => right ? Effect.void : Effect.fail(wrongProof))
    return Effect.catchIf(
      bulk.applyAll(blocks, decide(noteProof), check), (error) => error === wrongProof,
      // once more, to store the blocks before it and to say which one it is
      () => bulk.applyAll(blocks, decide(verifyExitProof))
    ) as Effect.Effect<unknown, BlockViolation | StoreFailure>
  })

const wrongProof = "wrong proof"
