import { Effect } from "effect"
import type { LedgerHistory, StoreFailure } from "../../ports/mod.ts"
import type { Findings } from "./findings.ts"

/** Rollbacks that are read at once. */
const rollBacksPerPage = 500

/** Checks the rollbacks of a ledger; `version` is its current one. */
export const auditRollBacks = (
  history: LedgerHistory["Service"],
  version: number,
  findings: Findings
): Effect.Effect<void, StoreFailure> =>
  Effect.gen(function*() {
    let [serial, afterVersion] = [0, 0]
    while (true) {
      const { items } = yield* history.rollBacks({ afterVersion, limit: rollBacksPerPage })
      for (const rollBack of items) {
        const place = `rollback ${rollBack.serial}`
        findings.checked("rollbacks")
        findings.same("rollbacks", `${place}, serial`, rollBack.serial, ++serial)
        if (rollBack.version <= afterVersion || rollBack.version > version) {
          findings.violate(
            "rollbacks",
            `${place}, version`,
            rollBack.version,
            `a version above ${afterVersion}, at most ${version}`
          )
        }
        if (
          rollBack.removedBlock.number < rollBack.lastBlock.number + BigInt(rollBack.blocks) ||
          rollBack.blocks < 1
        ) {
          findings.violate(
            "rollbacks",
            `${place}, blocks`,
            rollBack.blocks,
            `from 1 to ${rollBack.removedBlock.number - rollBack.lastBlock.number}`
          )
        }
        afterVersion = rollBack.version
      }
      if (items.length < rollBacksPerPage) return
    }
  })
