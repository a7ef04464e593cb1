import { Effect, Exit, Schema } from "effect"
import { GenesisFeed } from "../../../core/domain/mod.ts"
import { ethereumBlock, queryOf, selectRows } from "../entities/mod.ts"
import { appliedMigrations, checksumOf, migrations } from "../schema/mod.ts"
import type { AuditSnapshot, AuditStatement, AuditStep } from "./_audit_snapshot.ts"

const readGenesis = Schema.decodeUnknownExit(Schema.fromJsonString(Schema.toCodecJson(GenesisFeed)))

/**
 * Compares the applied migrations with those of this program. Returns whether all of these are
 * applied to the schema of this program, so that the audit can read the tables.
 */
export const auditMigrations = ({ findings, sql }: AuditSnapshot): AuditStep<boolean> =>
  Effect.gen(function*() {
    const applied = yield* appliedMigrations(sql)
    for (const { checksum, name, number } of applied) {
      findings.checked("migrations")
      const known = migrations.find((migration) => migration.number === number)
      const place = `migration ${number} (${name})`
      if (known === undefined) {
        const none = `none above ${migrations.length}: this program is older than the database`
        findings.violate("migrations", place, "applied", none)
      } else {
        findings.same("migrations", place, checksum, checksumOf(known))
        findings.same("migrations", `${place}, name`, name, known.name)
      }
    }
    const missing = migrations.filter(({ number }) =>
      !applied.some((each) => each.number === number)
    )
    for (const { name, number } of missing) {
      const place = `migration ${number} (${name})`
      findings.violate("migrations", place, "not applied", "applied: run migrate")
    }
    const [first] = applied
    return missing.length === 0 && first?.name === migrations[0]!.name
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

/** The head must not contradict the last block, and no version may be newer than that of the row. */
const rowStatement = `
SELECT 'ledger, ' || wrong.place AS place, wrong.found, wrong.expected
FROM ledger JOIN block ON block.number = ledger.ethereum_block_num CROSS JOIN LATERAL (VALUES
  ('head_hash', '0x' || encode(ledger.head_hash, 'hex'), '0x' || encode(block.hash, 'hex'), ledger.head_number = block.number AND ledger.head_hash <> block.hash),
  ('head_timestamp_ms', ledger.head_timestamp_ms::text, 'at least ' || block.timestamp_ms, ledger.head_number > block.number AND ledger.head_timestamp_ms < block.timestamp_ms),
  ('part_versions', ledger.part_versions::text, 'none above ' || ledger.version, ledger.version < ANY (ledger.part_versions)),
  ('token_version', ledger.token_version::text, 'at least ' || (SELECT max(version) FROM token), ledger.token_version < (SELECT max(version) FROM token))
) AS wrong (place, found, expected, is_wrong) WHERE wrong.is_wrong`

/** The check of the row of `ledger`; its last block and batch are those that the ports return. */
export const ledgerStatements: ReadonlyArray<AuditStatement> = [
  { check: "standing", counted: "ledger", text: rowStatement }
]
