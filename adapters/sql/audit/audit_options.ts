import type { Effect } from "effect"
import type { Account, Exit, Network } from "../../../core/domain/mod.ts"
import type { Keccak256 } from "../../../core/encoding/mod.ts"
import type { TreeHashes } from "../../../core/use_cases/mod.ts"

export interface DatabaseAuditOptions {
  readonly keccak256: Keccak256
  /** Which of these proofs of exits, each with the root that it must lead to, are wrong; by their places. Null where none is asked for. */
  readonly wrongProofs:
    | ((
      network: Network,
      proofs: ReadonlyArray<readonly [exit: Exit, exitRoot: bigint]>
    ) => Effect.Effect<ReadonlyArray<number>>)
    | null
  /** To compute the state root; it takes a dozen hashes an account. Null where it is not asked for. */
  readonly tree: (TreeHashes & { readonly account: (account: Account) => bigint }) | null
  /** Called again and again: so many things were looked at, and what share of the work is done. */
  readonly tell: (
    done: { readonly units: number; readonly share: number; readonly at: string }
  ) => Effect.Effect<void>
}
