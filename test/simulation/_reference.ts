import { Cause, Effect, Exit, Option } from "effect"
import { type OperationId, type Revision, revisionList } from "../../core/contract/mod.ts"
import type { GenesisFeed } from "../../core/domain/mod.ts"
import { LedgerReader, NotRegistered, PoolStore } from "../../core/ports/mod.ts"
import { readInterfaces } from "../../core/use_cases/mod.ts"
import { openMemoryPool } from "../../adapters/memory/mod.ts"
import { naiveReader } from "../laws/naive/mod.ts"
import { type Facts, unknownReferences } from "../laws/mod.ts"
import { contextOf } from "./machine/mod.ts"

/** A read of the ledger. */
export interface LedgerRead {
  readonly revision: Revision
  readonly operation: OperationId
  readonly values: ReadonlyArray<string>
  readonly query: string
}

export interface Expected {
  readonly status: number
  /** The body of a 200. */
  readonly json?: string
}

/**
 * Computes the expected responses for a ledger with these facts: the naive model behind the writers
 * of the contract.
 */
export class Reference {
  readonly #interfaces
  /** The same reads are repeated while nothing changes. */
  readonly #known = new Map<Facts, Map<string, Expected>>()
  #facts: Facts | undefined

  constructor(genesis: GenesisFeed) {
    const naive = () => naiveReader(this.#facts!)
    const reader: LedgerReader["Service"] = {
      list: (name, query) =>
        Effect.suspend(() => {
          const missing = unknownReferences(this.#facts!, name, query.filters)
          const [first, ...rest] = missing.map(([filter, value]) => ({
            filter,
            kind: "token" as const,
            value
          }))
          const { ...snapshotId } = { ethereumBlockNum: 0n, batchNum: null, version: 0 }
          return first === undefined
            ? naive().list(name, query)
            : Effect.fail(new NotRegistered({ things: [first, ...rest], snapshotId }))
        }),
      find: (name, key) => Effect.suspend(() => naive().find(name, key)),
      accountsAndTokens: (of) => Effect.suspend(() => naive().accountsAndTokens(of)),
      state: Effect.suspend(() => naive().state),
      snapshotId: Effect.suspend(() => naive().snapshotId)
    }
    this.#interfaces = Effect.runSync(
      readInterfaces({
        context: contextOf(genesis),
        constants: genesis.constants,
        revisions: revisionList
      }).pipe(
        Effect.provideService(LedgerReader, reader),
        Effect.provideService(PoolStore, openMemoryPool())
      )
    )
  }

  /** Prepares for another run with other facts. */
  forget(): void {
    this.#known.clear()
  }

  answer(facts: Facts, ledgerRead: LedgerRead): Expected {
    const known = this.#known.get(facts) ?? new Map<string, Expected>()
    this.#known.set(facts, known)
    const key = `${ledgerRead.revision.name} ${ledgerRead.operation} ${
      ledgerRead.values.join(" ")
    }?${ledgerRead.query}`
    let expected = known.get(key)
    if (expected === undefined) known.set(key, expected = this.#work(facts, ledgerRead))
    return expected
  }

  #work(facts: Facts, { operation, query, revision, values }: LedgerRead): Expected {
    this.#facts = facts
    const { operations } = this.#interfaces.find((each) => each.revision === revision)!
    const exit = Effect.runSyncExit(operations[operation](values, query))
    if (Exit.isSuccess(exit)) return { status: 200, json: exit.value.json }
    const failure = Option.getOrThrow(Cause.findErrorOption(exit.cause))
    switch (failure._tag) {
      case "BadInput":
        return { status: 400 }
      case "NotFound":
      case "NotRegistered":
        return { status: 404 }
      case "StoreFailure":
        throw failure
    }
  }
}

const references = new Map<string, Reference>()
/** Returns the reference of a network; runs do not overlap. */
export const referenceOf = (genesis: GenesisFeed): Reference => {
  const key = JSON.stringify(genesis.network)
  const known = references.get(key) ?? new Reference(genesis)
  references.set(key, known)
  known.forget()
  return known
}
