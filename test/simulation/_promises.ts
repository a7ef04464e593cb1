import type { PoolTransaction, PostedTransaction } from "../../core/domain/mod.ts"
import type { PoolStore } from "../../core/ports/mod.ts"
import { Effect } from "effect"
import type { Facts } from "../laws/mod.ts"

type Pool = PoolStore["Service"]

/** Records what the service acknowledged to clients, and what they posted without an answer. */
export class Promises {
  /** By id: the content that the service acknowledged. */
  readonly transactions = new Map<string, PostedTransaction>()
  /** By id: everything that was ever posted. */
  readonly posted = new Map<string, Array<PostedTransaction>>()
  /** Transactions that the host removed from the pool, or tried to remove. */
  readonly removed = new Set<string>()
  readonly authorizations = new Map<
    string,
    { readonly publicKey: string; readonly signature: string }
  >()

  post(posted: PostedTransaction): void {
    const known = this.posted.get(posted.id)
    if (known === undefined) this.posted.set(posted.id, [posted])
    else known.push(posted)
  }

  /** Returns a description if other content was acknowledged before. */
  acknowledge(posted: PostedTransaction): string | undefined {
    const known = this.transactions.get(posted.id)
    if (known !== undefined && !this.removed.has(posted.id) && !isSame(known, posted)) {
      return `Two contents of transaction ${posted.id} were acknowledged`
    }
    this.transactions.set(posted.id, posted)
    return undefined
  }

  /** Describes how the pool breaks the promise of an id; undefined if it does not. */
  broken(pool: Pool, id: string): string | undefined {
    const posted = this.transactions.get(id)!
    const found = Effect.runSync(pool.transaction(id)) as PoolTransaction | null
    if (found === null) {
      const steps = Effect.runSync(pool.transitions(id))
      const last = steps.at(-1)
      return this.removed.has(id) && last?.to === null && last.reason !== ""
        ? undefined
        : `Transaction ${id} was acknowledged and is not in the pool`
    }
    // after a removal another content may be stored, perhaps without an acknowledgement yet
    if (this.removed.has(id) && (this.posted.get(id) ?? []).some((other) => isSame(found, other))) {
      return brokenSteps(pool, found)
    }
    if (!isSame(found, posted)) {
      return `Transaction ${id} was acknowledged with another content than the pool holds`
    }
    return brokenSteps(pool, found)
  }

  brokenAuthorization(pool: Pool, address: string): string | undefined {
    const posted = this.authorizations.get(address)!
    const found = Effect.runSync(pool.authorization(address))
    return found?.publicKey === posted.publicKey && found.signature === posted.signature
      ? undefined
      : `The authorization of ${address} was acknowledged and is not in the pool`
  }
}

export const isSame = (one: PostedTransaction, other: PostedTransaction): boolean =>
  one.signature === other.signature && one.type === other.type &&
  one.toAccountIndex === other.toAccountIndex && one.toAddress === other.toAddress &&
  one.toPublicKey === other.toPublicKey

/**
 * Each transition begins at the state where the one before ended, and the last one ends at the
 * current state.
 */
function brokenSteps(pool: Pool, { batchNum, id, state }: PoolTransaction): string | undefined {
  let at: string | null = null
  const steps = Effect.runSync(pool.transitions(id))
  for (const { from, reason, to } of steps) {
    if (from !== at) return `Transaction ${id}: a step from ${from} follows one to ${at}`
    if (reason === "") return `Transaction ${id}: a step to ${to} has no reason`
    at = to
  }
  const last = steps.at(-1)
  return at === state && last?.batchNum === batchNum
    ? undefined
    : `Transaction ${id} is ${state} in ${batchNum}, and its last step leads to ${at} in ${last?.batchNum}`
}

/** Describes a difference between the reconciled pool and the ledger; undefined if there is none. */
export function disagreement(pool: Pool, facts: Facts, ids: Iterable<string>): string | undefined {
  const last = facts.batches.length
  const forgedBy = new Map(facts.transactions.map((row) => [row.id, row]))
  for (const id of ids) {
    const found = Effect.runSync(pool.transaction(id))
    if (found === null) continue
    const { batchNum, fromAccountIndex, nonce, state } = found
    const forged = forgedBy.get(id)
    const steps = () =>
      Effect.runSync(pool.transitions(id)).map((step) =>
        `${step.to} ${step.batchNum} (${step.reason})`
      ).join(", then ")
    const current = facts.accounts.find(({ index }) => index === fromAccountIndex)?.nonce ?? 0n
    if (
      forged !== undefined && state !== "invl" &&
      !(state === "fged" && batchNum === forged.batchNum)
    ) {
      return `Transaction ${id} was forged in batch ${forged.batchNum}, and the pool says ${steps()}`
    }
    if (forged === undefined && (state === "fged" || state === "fing") && batchNum! <= last) {
      return `The pool says that transaction ${id} is ${state} in batch ${batchNum}, which the ledger has without it: ${steps()}`
    }
    if (state === "pend" && nonce < current) {
      return `Transaction ${id} is pending with nonce ${nonce}, and its account is at ${current}: ${steps()}`
    }
    if (state === "invl" && batchNum! > last) {
      return `Transaction ${id} is invalid since batch ${batchNum}, which is not in the ledger: ${steps()}`
    }
  }
  return undefined
}
