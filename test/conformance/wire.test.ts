/*
 * Answers that the recorded network does not have decode under the schemas that the contract declares,
 * without undeclared members; `objects.test.ts` decodes the recorded ones.
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, Schema } from "effect"
import { openMemoryPool } from "../../adapters/memory/mod.ts"
import { keccak256 } from "../../adapters/crypto/mod.ts"
import { simulate } from "../../app/simulator/mod.ts"
import {
  answerShape,
  type Operation,
  readOperationsOf,
  type Revision,
  revisionList,
  wireContext,
  wireSchema
} from "../../core/contract/mod.ts"
import type { GenesisFeed, Network } from "../../core/domain/mod.ts"
import { memoryLedger } from "../properties/_networks.ts"
import { ask, parseExact, reading } from "../properties/_reading.ts"

/** Returns the cause if an answer is not what the schema of the operation declares. */
const decoder = (network: Network, revision: Revision, operation: Operation) => {
  const { schema } = answerShape(operation, revision)
  const decode = Schema.decodeUnknownExit(wireSchema(schema, wireContext(network, keccak256)), {
    errors: "all",
    onExcessProperty: "error"
  })
  return (answer: unknown) => {
    const exit = decode(answer)
    if (Exit.isFailure(exit)) assert.fail(`${String(exit.cause)} in ${show(answer)}`)
  }
}

const show = (answer: unknown) =>
  JSON.stringify(answer, (_, value: unknown) => typeof value === "bigint" ? String(value) : value)
    .slice(0, 1000)

const listsAllBids = ({ unrestricted }: Revision) => unrestricted.includes("bids")

describe("an empty network", () => {
  const { genesis } = simulate({ seed: "empty" })
  for (const revision of revisionList) {
    it.effect(`answers every operation without parameters in revision ${revision.name}`, () =>
      Effect.scoped(Effect.gen(function*() {
        const { reader } = yield* memoryLedger(genesis)
        const face =
          (yield* reading({ genesis, reader, pool: openMemoryPool() }))[revision.name as "later"]
        for (const [id, operation] of readOperationsOf(revision)) {
          if (operation.parameters.length > 0) continue
          const query = id === "getBids" && !listsAllBids(revision) ? "slotNum=0" : ""
          const outcome = yield* ask(face, id, [], query)
          assert("json" in outcome, `${id}: ${JSON.stringify(outcome)}`)
          decoder(genesis.network, revision, operation)(parseExact(outcome.json))
        }
      })))
  }

  it.effect("writes block numbers beyond doubles with all digits", () =>
    Effect.scoped(Effect.gen(function*() {
      const number = 2n ** 63n + 1n
      const { auction } = genesis.constants
      const far: GenesisFeed = {
        ...genesis,
        block: { ...genesis.block, number },
        constants: { ...genesis.constants, auction: { ...auction, genesisBlockNum: number } }
      }
      const { ledger, reader } = yield* memoryLedger(far)
      const { hash, timestampMs } = genesis.block
      yield* ledger.applyBlock({
        number: number + 1n,
        hash: hash.replace(/^0x./u, "0xf"),
        parentHash: hash,
        timestampMs
      })
      const faces = yield* reading({ genesis: far, reader, pool: openMemoryPool() })
      for (const revision of revisionList) {
        const operations = new Map(readOperationsOf(revision))
        for (
          const [id, path, wanted] of [
            ["getState", [], number + 1n],
            ["getSlot", ["0"], number],
            ["getSlot", ["4294967295"], number + 42949672950n],
            ["getConfig", [], number]
          ] as const
        ) {
          const outcome = yield* ask(faces[revision.name as "later"], id, path, "")
          assert("json" in outcome, `${id}: ${JSON.stringify(outcome)}`)
          assert.include(outcome.json, `:${wanted}`, id)
          decoder(far.network, revision, operations.get(id)!)(parseExact(outcome.json))
        }
      }
    })))
})
