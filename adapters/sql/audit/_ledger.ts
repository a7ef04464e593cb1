import { Effect, Exit, Result, Schema } from "effect"
import {
  type AuctionVariables,
  changedAuctionVariables,
  GenesisFeed
} from "../../../core/domain/mod.ts"
import type { Findings } from "../../../core/use_cases/mod.ts"
import {
  decodeParameterSet,
  ethereumBlock,
  type ParameterSet,
  parameterSet,
  parameterSetRow,
  queryOf,
  selectRows
} from "../entities/mod.ts"
import { appliedMigrations, migrations, missingMigrations } from "../schema/mod.ts"
import { type AuditSnapshot, type AuditStep, eachRow } from "./_audit_snapshot.ts"

const readGenesis = Schema.decodeUnknownExit(Schema.fromJsonString(Schema.toCodecJson(GenesisFeed)))

/**
 * Compares the applied migrations with those of this program. Returns whether the audit can read the
 * tables: all migrations of this program are applied, to its schema.
 */
export const auditMigrations = ({ findings, sql }: AuditSnapshot): AuditStep<boolean> =>
  Effect.gen(function*() {
    const applied = yield* appliedMigrations(sql)
    findings.checked("migrations", applied.length)
    const missing = yield* Effect.result(missingMigrations(migrations, applied))
    if (Result.isFailure(missing)) {
      const { message } = missing.failure
      findings.violate("migrations", "schema", message, "the migrations of this program")
    } else {
      for (const { name, number } of missing.success) {
        const place = `migration ${number} (${name})`
        findings.violate("migrations", place, "not applied", "applied: run migrate")
      }
    }
    return applied.length >= migrations.length && applied[0]?.name === migrations[0]!.name
  })

const firstBlock = queryOf(ethereumBlock, "block AS r ORDER BY r.number LIMIT 1")

/**
 * Checks the genesis record, the first block and the first variables. Returns the genesis record,
 * or undefined if it is unreadable, so that no other check is possible.
 */
export const auditGenesis = (
  { findings, sql }: AuditSnapshot
): AuditStep<GenesisFeed | undefined> =>
  Effect.gen(function*() {
    const records = yield* sql.unsafe<{ readonly record: string }>("SELECT record FROM genesis")
    findings.checked("genesis")
    if (!findings.same("genesis", "genesis", `${records.length} records`, "1 records")) {
      return undefined
    }
    const { record } = records[0]!
    const genesis = readGenesis(record)
    if (Exit.isFailure(genesis)) {
      const expected = "a genesis record in the form of the feed"
      findings.violate("genesis", "genesis, record", record.slice(0, 200), expected)
      return undefined
    }
    const { block } = genesis.value
    const [first] = yield* selectRows(sql, firstBlock)
    findings.sameMembers("genesis", () => "first block", { ...first }, { ...block })
    const sets = yield* sql.unsafe<{ readonly kind: string }>(
      "SELECT kind FROM parameter_set WHERE ethereum_block_num = $1::numeric ORDER BY kind",
      [`${block.number}`]
    )
    findings.same(
      "genesis",
      `parameter_set of block ${block.number}`,
      sets.map(({ kind }) => kind).join(", "),
      "auction, rollup, withdrawalDelayer"
    )
    return genesis.value
  })

const sets = queryOf(
  parameterSet,
  "parameter_set AS r WHERE (r.kind, r.ethereum_block_num) > ($1, $2::numeric) ORDER BY r.kind, r.ethereum_block_num LIMIT 1000"
)

/** Checks that each set of variables can be decoded, and its columns against its content. */
export const auditVariables = (snapshot: AuditSnapshot): AuditStep => {
  let auction: AuctionVariables | null = null
  return eachRow(snapshot, sets, {
    first: ["", "0"],
    next: ({ blockNum, kind }) => [kind, `${blockNum}`]
  }, (set) => {
    auction = auditSet(set, auction, snapshot.findings)
    snapshot.findings.checked("variables")
  })
}

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
