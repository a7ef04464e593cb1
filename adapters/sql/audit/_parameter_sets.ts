import { Effect, Exit } from "effect"
import { type ParameterKind, decodeParameterSet } from "../reads/mod.ts"
import type { AuditStep, AuditSnapshot } from "./_audit_snapshot.ts"

interface SetRow {
  readonly kind: ParameterKind
  readonly block: string
  readonly first_slot: bigint | null
  readonly superseded_by: string | null
  readonly variables: string
}

/** Each set of variables is read as the program reads it. */
export const auditVariables = ({ findings, rows }: AuditSnapshot): AuditStep =>
  Effect.gen(function*() {
    let [kind, block] = ["", "0"]
    /** Auction variables that none of those behind them supersedes, as far as these are read: by ascending first slot. */
    const standing: Array<SetRow> = []
    const superseded = ({ block, superseded_by }: SetRow, by: string | null) =>
      findings.same(
        "variables",
        `parameter_set auction of block ${block}, superseded_by`,
        superseded_by,
        by
      )
    for (;;) {
      const sets: ReadonlyArray<SetRow> = yield* rows<SetRow>(
        `
SELECT kind, ethereum_block_num::text AS block, first_slot, superseded_by::text AS superseded_by, variables FROM parameter_set WHERE (kind, ethereum_block_num) > ($1, $2::numeric)
ORDER BY kind, ethereum_block_num LIMIT 1000`,
        kind,
        block
      )
      if (sets.length === 0) return standing.forEach((set) => superseded(set, null))
      for (const set of sets) {
        const place = `parameter_set ${set.kind} of block ${set.block}`
        const read = yield* Effect.exit(
          Effect.try({
            try: () => decodeParameterSet(set.kind, set.variables),
            catch: (error) => error
          })
        )
        if (Exit.isFailure(read)) {
          findings.violate(
            "variables",
            place,
            set.variables.slice(0, 200),
            "variables that can be read"
          )
        } else {
          const firstSlot = "defaultSlotSetBidSlotNum" in read.value
            ? BigInt(read.value.defaultSlotSetBidSlotNum)
            : null
          findings.same("variables", `${place}, first_slot`, set.first_slot, firstSlot)
          if (firstSlot !== null) {
            while (standing.length > 0 && standing.at(-1)!.first_slot! >= firstSlot) {
              superseded(standing.pop()!, set.block)
            }
            standing.push({ ...set, first_slot: firstSlot })
          }
          // a set that a withdrawal changed keeps the date of the last decision about it
          if (read.value.ethereumBlockNum > BigInt(set.block)) {
            findings.violate(
              "variables",
              `${place}, ethereumBlockNum`,
              read.value.ethereumBlockNum,
              `at most ${set.block}`
            )
          }
        }
        ;[kind, block] = [set.kind, set.block]
      }
      findings.checked("variables", sets.length)
    }
  })
