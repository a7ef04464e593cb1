import { Effect, Exit } from "effect"
import { type AuctionVariables, changedAuctionVariables } from "../../../core/domain/mod.ts"
import { type ParameterKind, decodeParameterSet } from "../entities/mod.ts"
import type { AuditSnapshot, AuditStep } from "./_audit_snapshot.ts"

interface SetRow {
  readonly kind: ParameterKind
  readonly block: string
  readonly first_slot: bigint | null
  readonly default_bids: string | null
  readonly variables: string
}

/** Checks that each set of variables can be decoded, and its columns against its content. */
export const auditVariables = ({ findings, rows }: AuditSnapshot): AuditStep =>
  Effect.gen(function*() {
    let [kind, block] = ["", "0"]
    let former: AuctionVariables | null = null
    for (;;) {
      const sets: ReadonlyArray<SetRow> = yield* rows<SetRow>(
        `
SELECT kind, ethereum_block_num::text AS block, first_slot, default_bids::text AS default_bids, variables FROM parameter_set WHERE (kind, ethereum_block_num) > ($1, $2::numeric)
ORDER BY kind, ethereum_block_num LIMIT 1000`,
        kind,
        block
      )
      if (sets.length === 0) return
      for (const set of sets) {
        const place = `parameter_set ${set.kind} of block ${set.block}`
        const decoded = yield* Effect.exit(
          Effect.try({
            try: () => decodeParameterSet(set.kind, set.variables),
            catch: (error) => error
          })
        )
        if (Exit.isFailure(decoded)) {
          findings.violate(
            "variables",
            place,
            set.variables.slice(0, 200),
            "variables that can be decoded"
          )
        } else {
          const firstSlot = "defaultSlotSetBidFirstSlot" in decoded.value
            ? BigInt(decoded.value.defaultSlotSetBidFirstSlot)
            : null
          findings.same("variables", `${place}, first_slot`, set.first_slot, firstSlot)
          const defaultBids = "defaultSlotSetBid" in decoded.value
            ? `{${decoded.value.defaultSlotSetBid.join(",")}}`
            : null
          findings.same("variables", `${place}, default_bids`, set.default_bids, defaultBids)
          if ("defaultSlotSetBidFirstSlot" in decoded.value) {
            const auction = decoded.value
            findings.same(
              "variables",
              `${place}, defaultSlotSetBidFirstSlot`,
              auction.defaultSlotSetBidFirstSlot,
              former === null
                ? 0
                : changedAuctionVariables(former, auction).defaultSlotSetBidFirstSlot
            )
            former = auction
          }
          // a withdrawal or new verifiers change a rollup set, whose number stays
          const { ethereumBlockNum: decided } = decoded.value
          const isRollup = set.kind === "rollup"
          if (decided > BigInt(set.block) || (decided < BigInt(set.block) && !isRollup)) {
            const expected = `${isRollup ? "at most " : ""}${set.block}`
            findings.violate("variables", `${place}, ethereumBlockNum`, decided, expected)
          }
        }
        ;[kind, block] = [set.kind, set.block]
      }
      findings.checked("variables", sets.length)
    }
  })
