import { Effect, Schema } from "effect"
import { GenesisFeed } from "../../../core/domain/mod.ts"
import { firstItemIds, type StoreFailure } from "../../../core/ports/mod.ts"
import { placeGenesis } from "../../../core/use_cases/mod.ts"
import { Database, DatabaseError, insertInto, storeFailure } from "../connection/mod.ts"
import { noPartVersions } from "../notifications/mod.ts"
import {
  blockRow,
  nextItemIds,
  parameterKinds,
  parameterSet,
  parameterSetRow,
  type Shape,
  versionedToken
} from "../entities/mod.ts"

const genesisText = Schema.encodeSync(Schema.fromJsonString(Schema.toCodecJson(GenesisFeed)))

const nextColumns = nextItemIds.columns
const insertLedger = `
INSERT INTO ledger (version, token_version, ethereum_block_num, ${
  nextColumns.map(({ name }) => name).join(", ")
}, part_versions)
VALUES (0, 1, $1::numeric, ${
  nextColumns.map(({ get }) => String(get(firstItemIds))).join(", ")
}, ${noPartVersions})
ON CONFLICT (singleton) DO NOTHING RETURNING version`

/**
 * Opens the ledger of a network in a migrated database. If the database holds no ledger, writes the
 * genesis block, ether and the first variables. If it holds one, changes nothing, and fails with
 * `otherNetwork` if its genesis record differs. Several processes may open it at the same time.
 */
export const openLedger = (
  genesis: GenesisFeed
): Effect.Effect<void, DatabaseError | StoreFailure, Database> =>
  Effect.gen(function*() {
    const { writes: sql } = yield* Database
    const text = genesisText(genesis)
    const insert = <Row>(table: string, { parameters }: Shape<Row>, rows: ReadonlyArray<Row>) => {
      const statement = insertInto(table, parameters)
      return sql.unsafe(statement.text, statement.parameters(rows))
    }
    const { token, variables, ...row } = placeGenesis(genesis)
    const blockNum = row.block.number
    yield* sql.withTransaction(Effect.gen(function*() {
      const inserted = yield* sql.unsafe(insertLedger, [`${blockNum}`])
      if (inserted.length === 0) return
      yield* sql.unsafe("INSERT INTO genesis (record) VALUES ($1)", [text])
      yield* insert("block", blockRow, [{ ...row, previousAfterGap: null }])
      yield* insert("token", versionedToken, [{ ...token, version: 1 }])
      yield* insert(
        "parameter_set",
        parameterSet,
        parameterKinds.map((kind) => parameterSetRow(kind, blockNum, variables[kind]))
      )
    }))
    const [stored] = yield* sql.unsafe<{ readonly record: string }>("SELECT record FROM genesis")
    if (stored!.record !== text) {
      return yield* new DatabaseError({
        reason: "otherNetwork",
        message: describeDifference(stored!.record, text)
      })
    }
  }).pipe(Effect.catchTag("SqlError", (error) => Effect.fail(storeFailure(error))))

const describeDifference = (stored: string, expected: string): string => {
  const [theirs, ours] = [stored, expected].map((text) => {
    const { network } = JSON.parse(text) as Pick<GenesisFeed, "network">
    const { chainId, name, rollupAddress } = network
    return `"${name}" of chain ${chainId} at ${rollupAddress}`
  })
  return theirs === ours
    ? `The database contains a ledger of ${theirs} with another genesis record: use the original record, or an empty database`
    : `The database contains the ledger of ${theirs}, not of ${ours}: use its genesis record, or an empty database`
}
