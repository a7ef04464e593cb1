import { Effect, Schema } from "effect"
import { InputFault, messageOfAll } from "../../../contract/mod.ts"
import { poolStates } from "../../../domain/mod.ts"
import type { StoreFailure, VerifierBusy } from "../../../ports/mod.ts"

/**
 * The post breaks rules. Each fault has a pointer, the value and the rule.
 *
 * @example
 * ```ts
 * import { Effect } from "effect"
 * import { SubmissionRefused } from "rollup-node-api"
 *
 * const message = "Property bjj is missing: expected a key"
 * const fault = { in: "body", parameter: "/bjj", value: null, rule: "a key", message } as const
 * const submit = Effect.fail(new SubmissionRefused({ faults: [fault] }))
 * const handled = Effect.catchTag(submit, "SubmissionRefused", ({ faults }) =>
 *   Effect.succeed(faults.map(({ parameter }) => parameter)))
 * console.log(await Effect.runPromise(handled)) // => [ '/bjj' ]
 * ```
 */
export class SubmissionRefused
  extends Schema.TaggedError<SubmissionRefused>()("SubmissionRefused", {
    faults: Schema.NonEmptyArray(InputFault)
  })
{
  override get message(): string {
    return messageOfAll(this.faults)
  }
}

/**
 * Another transaction, group or authorization with the same id or address is already stored. The
 * stored one stays; a retry cannot help.
 *
 * @example
 * ```ts
 * import { Effect, Layer } from "effect"
 * import { Submission } from "rollup-node-api"
 * import * as Crypto from "rollup-node-api/crypto"
 * import * as Memory from "rollup-node-api/memory"
 * import { simulate } from "rollup-node-api/simulator"
 *
 * const { genesis, genesis: { network } } = simulate({ seed: 1 })
 * const stores = Layer.merge(Memory.layer(genesis), Memory.poolLayer)
 * const layer = Submission.layer({ network, keccak256: Crypto.keccak256 }).pipe(
 *   Layer.provide(Layer.merge(stores, Crypto.inlineVerifier(network)))
 * )
 * const owner = new Uint8Array(32).fill(7)
 * const address = Crypto.ethereumAddress(owner)
 * const submit = Effect.fnUntraced(function*(publicKey: string) {
 *   const signature = Crypto.signAuthorization(owner, publicKey, network)
 *   return yield* (yield* Submission).submitAuthorization({ address, publicKey, signature })
 * })
 * const [first, second] = [1, 2].map((seed) =>
 *   Crypto.derivePublicKey(new Uint8Array(32).fill(seed)))
 * const both = Effect.andThen(submit(first!), Effect.flip(submit(second!)))
 * console.log((await Effect.runPromise(Effect.provide(both, layer)))._tag) // => SubmissionConflict
 * ```
 */
export class SubmissionConflict
  extends Schema.TaggedError<SubmissionConflict>()("SubmissionConflict", {
    faults: Schema.NonEmptyArray(InputFault)
  })
{
  override get message(): string {
    return this.faults[0].message
  }
}

/**
 * The pool has reached its limit of pending transactions, in all or of one sender. A retry after
 * `retryAfterSeconds` may succeed.
 *
 * @example
 * ```ts
 * import { Effect } from "effect"
 * import { PoolFull } from "rollup-node-api"
 *
 * const limit = { limit: "pendingPerAccountMax", maximum: 1000, fromAccountIndex: 256 } as const
 * const submit = Effect.fail(new PoolFull({ ...limit, retryAfterSeconds: 60 }))
 * const handled = Effect.catchTag(submit, "PoolFull", ({ limit, retryAfterSeconds }) =>
 *   Effect.succeed(`${limit}, Retry-After: ${retryAfterSeconds}`))
 * console.log(await Effect.runPromise(handled)) // => pendingPerAccountMax, Retry-After: 60
 * ```
 */
export class PoolFull extends Schema.TaggedError<PoolFull>()("PoolFull", {
  limit: Schema.Literals(["pendingMax", "pendingPerAccountMax"]),
  maximum: Schema.Int,
  /** The sender of the refused transaction. */
  fromAccountIndex: Schema.Int,
  retryAfterSeconds: Schema.Int
}) {
  override get message(): string {
    const subject = this.limit === "pendingMax" ? "The pool" : `Account ${this.fromAccountIndex}`
    return `${subject} has ${this.maximum} pending transactions, the maximum: try again in ${this.retryAfterSeconds} seconds`
  }
}

const stateNames = { pend: "pending", fing: "forging", fged: "forged", invl: "invalid" } as const

/** Identifies the transaction to replace: its id, or its sender and nonce. */
export const Replaced = Schema.Union([
  Schema.String,
  Schema.Struct({ fromAccountIndex: Schema.Int, nonce: Schema.BigInt })
])
export type Replaced = typeof Replaced.Type

/**
 * The transaction to replace is not in the pool, is forging or forged, belongs to a group, or was
 * posted by an earlier owner of the account.
 *
 * @example
 * ```ts
 * import { Effect } from "effect"
 * import { NothingToReplace } from "rollup-node-api"
 *
 * const replace = Effect.fail(new NothingToReplace({ replaced: "0x02ab", state: "fged" }))
 * const handled = Effect.catchTag(replace, "NothingToReplace", ({ message }) =>
 *   Effect.succeed(message))
 * console.log(await Effect.runPromise(handled))
 * // => Transaction 0x02ab is forged: only a pending or invalid transaction can be replaced
 * ```
 */
export class NothingToReplace extends Schema.TaggedError<NothingToReplace>()("NothingToReplace", {
  replaced: Replaced,
  /** Null if it is not in the pool. */
  state: Schema.NullOr(Schema.Literals(poolStates)),
  /** The group that it belongs to. */
  group: Schema.optionalKey(Schema.String),
  /** The account, if another owner of it posted the transaction, before a rollback. */
  earlierOwnerOf: Schema.optionalKey(Schema.Int)
}) {
  override get message(): string {
    const which = typeof this.replaced === "string"
      ? this.replaced
      : `of account ${this.replaced.fromAccountIndex} with nonce ${this.replaced.nonce}`
    if (this.group !== undefined) {
      return `Transaction ${which} belongs to group ${this.group}: it cannot be replaced alone`
    }
    if (this.earlierOwnerOf !== undefined) {
      return `Transaction ${which} is of another owner of account ${this.earlierOwnerOf}: post a new transaction instead`
    }
    if (this.state === null) return `There is no transaction ${which} in the pool`
    const state = stateNames[this.state]
    return `Transaction ${which} is ${state}: only a pending or invalid transaction can be replaced`
  }
}

export const refusalOf = (faults: ReadonlyArray<InputFault>): SubmissionRefused =>
  new SubmissionRefused({ faults: faults as [InputFault, ...Array<InputFault>] })

export const failIfRefused = (
  faults: ReadonlyArray<InputFault>
): Effect.Effect<void, SubmissionRefused> =>
  faults.length === 0 ? Effect.void : Effect.fail(refusalOf(faults))

/** The failures of a post. */
export type SubmissionFailure =
  | SubmissionRefused
  | SubmissionConflict
  | PoolFull
  | VerifierBusy
  | StoreFailure
