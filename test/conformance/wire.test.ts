import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, Schema } from "effect"
import { openMemoryPool } from "../../adapters/memory/mod.ts"
import { keccak256 } from "../../adapters/crypto/mod.ts"
import { defaultNetwork, simulate } from "../../app/simulator/mod.ts"
import {
  answerShape,
  type ReadOperationId,
  readOperationsOf,
  type Revision,
  revisionList,
  v1,
  wireContext,
  wireSchema
} from "../../core/contract/mod.ts"
import type { GenesisFeed } from "../../core/domain/mod.ts"
import { memoryLedger } from "../properties/_networks.ts"
import { ask, parseExact, reading } from "../properties/_reading.ts"
import { rounds } from "../rounds.ts"
import { pathsOf, type Sample, sample, sampleOf } from "./_sample.ts"

const hermetic = Effect.runSync(
  Effect.cached(
    Effect.scoped(
      sampleOf({ seed: "prefix", transactions: 150, network: { ...defaultNetwork, prefix: "hez" } })
    )
  )
)

const answered = new Map<string, Effect.Effect<ReadonlyArray<unknown>>>()
/** Returns the answers of each operation for a sample, parsed exactly. */
const answers = (
  of: Sample,
  revision: Revision,
  id: ReadOperationId
): Effect.Effect<ReadonlyArray<unknown>> => {
  const name = `${of.genesis.network.prefix} ${revision.name} ${id}`
  const known = answered.get(name) ?? Effect.runSync(Effect.cached(answersOf(of, revision, id)))
  answered.set(name, known)
  return known
}

const answersOf = (of: Sample, revision: Revision, id: ReadOperationId) =>
  Effect.gen(function*() {
    const face = (yield* reading(of))[revision.name as "later"]
    const operation = operationOf(revision, id)
    const query = !("list" in operation) || operation.kind === "currencyList"
      ? ""
      : operation.list === "bids" && !listsAllBids(revision)
      ? "slotNum=9"
      : "limit=2049"
    const queries = id === "getBids" && !listsAllBids(revision)
      ? [...new Set(of.facts.bids.map(({ slotNum }) => `slotNum=${slotNum}`)), query]
      : [query]
    return yield* Effect.forEach(
      queries.flatMap((text) => pathsOf(of, id).map((path) => ({ path, text }))),
      ({ path, text }) =>
        Effect.map(ask(face, id, path.map(encodeURIComponent), text), (outcome) => {
          assert(
            "json" in outcome,
            `${revision.name} ${id} ${path.join(" ")}?${text}: ${JSON.stringify(outcome)}`
          )
          return parseExact(outcome.json)
        })
    )
  })

const listsAllBids = ({ unrestricted }: Revision) => unrestricted.includes("bids")

const operationOf = (revision: Revision, id: ReadOperationId) =>
  readOperationsOf(revision).find(([other]) => other === id)![1]

/** Returns the schema of an operation's answer, which refuses undeclared members. */
const decoder = ({ network }: GenesisFeed, revision: Revision, id: ReadOperationId) => {
  const shape = answerShape(operationOf(revision, id), revision)
  return Schema.decodeUnknownExit(wireSchema(shape.schema, wireContext(network, keccak256)), {
    errors: "all",
    onExcessProperty: "error"
  })
}

for (const [name, of] of [["zk", sample], ["hez", hermetic]] as const) {
  // `npm test` reads the answers with the prefix of the published clients in their revision only
  for (
    const revision of name === "zk"
      ? revisionList
      : rounds({ short: [v1], long: revisionList })
  ) {
    describe(`with prefix ${name}, in revision ${revision.name}`, () => {
      for (const [id] of readOperationsOf(revision)) {
        it.effect(`the answer of ${id} decodes under the wire schema without undeclared members`, () =>
          Effect.gen(function*() {
            const { genesis } = yield* of
            const decode = decoder(genesis, revision, id)
            const served = yield* answers(yield* of, revision, id)
            assert.isNotEmpty(served)
            for (const answer of served) {
              const exit = decode(answer)
              if (Exit.isFailure(exit)) assert.fail(`${String(exit.cause)} in ${show(answer)}`)
            }
          }))
      }
    })
  }
}

describe("with another prefix", () => {
  for (const revision of revisionList) {
    it.effect(`parameters contain it in revision ${revision.name}`, () =>
      Effect.gen(function*() {
        const of = yield* hermetic
        const face = (yield* reading(of))[revision.name as "later"]
        const [path] = pathsOf(of, "getAccountCreationAuthorization")
        const owner = path![0]!
        assert.match(owner, /^hez:0x/u)
        for (const id of ["getAccounts", "getExits", "getHistoryTxs"] as const) {
          assert("json" in (yield* ask(face, id, [], `hezEthereumAddress=${owner}`)), id)
          for (
            const query of [
              `zkEthereumAddress=${owner}`,
              `hezEthereumAddress=${owner.replace("hez", "zk")}`
            ]
          ) {
            const outcome = yield* ask(face, id, [], query)
            const { closedLists, unknownParameters } = revision.requestRules
            const isIgnored = unknownParameters === "ignored" &&
              !(id === "getAccounts" && closedLists.includes("accounts"))
            if (isIgnored && query.startsWith("zk")) {
              assert.deepStrictEqual(outcome, yield* ask(face, id, [], ""), query)
              continue
            }
            assert("refused" in outcome && outcome.refused === "BadInput", query)
            assert.include(outcome.message, "hez", query)
          }
        }
      }))
  }
})

describe("an empty network", () => {
  const { genesis } = simulate({ seed: "empty" })
  for (const revision of revisionList) {
    it.effect(`answers every operation without parameters in revision ${revision.name}`, () =>
      Effect.scoped(Effect.gen(function*() {
        const { reader } = yield* memoryLedger(genesis)
        const face =
          (yield* reading({ genesis, reader, pool: openMemoryPool() }))[revision.name as "later"]
        for (const [id] of readOperationsOf(revision)) {
          if (operationOf(revision, id).parameters.length > 0) continue
          const outcome = yield* ask(
            face,
            id,
            [],
            id === "getBids" && !listsAllBids(revision) ? "slotNum=0" : ""
          )
          assert("json" in outcome, `${id}: ${JSON.stringify(outcome)}`)
          const answer = parseExact(outcome.json)
          assert(Exit.isSuccess(decoder(genesis, revision, id)(answer)), id)
        }
      })))
  }

  it.effect("writes block numbers beyond doubles with all digits", () =>
    Effect.scoped(Effect.gen(function*() {
      const number = 2n ** 63n + 1n
      const far: GenesisFeed = {
        ...genesis,
        block: { ...genesis.block, number },
        constants: {
          ...genesis.constants,
          auction: { ...genesis.constants.auction, genesisBlockNum: number }
        }
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
        for (
          const [id, path, wanted] of [
            ["getState", [], `${number + 1n}`],
            ["getSlot", ["0"], `${number}`],
            ["getSlot", ["4294967295"], `${number + 42949672950n}`],
            ["getConfig", [], `${number}`]
          ] as const
        ) {
          const outcome = yield* ask(faces[revision.name as "later"], id, path, "")
          assert("json" in outcome, `${id}: ${JSON.stringify(outcome)}`)
          assert.include(outcome.json, `:${wanted}`, id)
          assert(Exit.isSuccess(decoder(far, revision, id)(parseExact(outcome.json))), id)
        }
      }
    })))
})

const show = (answer: unknown) =>
  JSON.stringify(answer, (_, value: unknown) => typeof value === "bigint" ? String(value) : value)
    .slice(0, 1000)
