import { Effect } from "effect"
import { type AuctionVariables, changedAuctionVariables } from "../../../core/domain/mod.ts"
import type { Findings } from "../../../core/use_cases/mod.ts"
import {
  decodeParameterSet,
  type ParameterSet,
  parameterSet,
  parameterSetRow,
  queryOf,
  selectRows
} from "../entities/mod.ts"
import type { AuditSnapshot, AuditStep } from "./_audit_snapshot.ts"

const sets = queryOf(
  parameterSet,
  "parameter_set AS r WHERE (r.kind, r.ethereum_block_num) > ($1, $2::numeric) ORDER BY r.kind, r.ethereum_block_num LIMIT 1000"
)

/** Checks that each set of variables can be decoded, and its columns against its content. */
export const auditVariables = ({ findings, sql }: AuditSnapshot): AuditStep =>
  Effect.gen(function*() {
    let [kind, block] = ["", 0n]
    let auction: AuctionVariables | null = null
    for (;;) {
      const page: ReadonlyArray<ParameterSet> = yield* selectRows(sql, sets, [kind, `${block}`])
      if (page.length === 0) return
      for (const set of page) {
        auction = auditSet(set, auction, findings)
        ;[kind, block] = [set.kind, set.blockNum]
      }
      findings.checked("variables", page.length)
    }
  })

/** Checks one set. Returns the last auction variables, of which `former` are those before it. */
const auditSet = (
  set: ParameterSet,
  former: AuctionVariables | null,
  findings: Findings
): AuctionVariables | null => {
  const place = `parameter_set ${set.kind} of block ${set.blockNum}`
  let variables
  try {
    variables = decodeParameterSet(set.kind, set.variables)
  } catch {
    const expected = "variables that can be decoded"
    findings.violate("variables", place, set.variables.slice(0, 200), expected)
    return former
  }
  const [found, expected] = [set, parameterSetRow(set.kind, set.blockNum, variables)].map((
    row
  ) => ({
    first_slot: row.firstSlot,
    default_bids: row.defaultBids && `{${row.defaultBids.join(",")}}`
  }))
  findings.sameMembers("variables", () => place, found!, expected!)
  // a withdrawal or new verifiers change a rollup set, whose number stays
  const { ethereumBlockNum: decided } = variables
  const isRollup = set.kind === "rollup"
  if (decided > set.blockNum || (decided < set.blockNum && !isRollup)) {
    const expected = `${isRollup ? "at most " : ""}${set.blockNum}`
    findings.violate("variables", `${place}, ethereumBlockNum`, decided, expected)
  }
  if (!("defaultSlotSetBidFirstSlot" in variables)) return former
  findings.same(
    "variables",
    `${place}, defaultSlotSetBidFirstSlot`,
    variables.defaultSlotSetBidFirstSlot,
    former === null ? 0 : changedAuctionVariables(former, variables).defaultSlotSetBidFirstSlot
  )
  return variables
}
