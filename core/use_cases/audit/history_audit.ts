import { Effect } from "effect"
import type { AccountValues } from "../../domain/mod.ts"
import type { AccountIndex } from "../../encoding/mod.ts"
import type {
  AccountChange,
  LedgerBlock,
  LedgerHistory,
  LedgerReader,
  StoreFailure
} from "../../ports/mod.ts"
import type { Findings } from "./findings.ts"

/** The ports that `auditHistoryPorts` compares. */
export interface HistoryAuditPorts {
  readonly reader: LedgerReader["Service"]
  readonly history: LedgerHistory["Service"]
}

/** Rows that are read at once. */
const rowsPerPage = 500

/**
 * Checks the changes of all accounts from the last block to the first one, and the rollbacks.
 * Nothing may write the ledger in the meantime.
 */
export const auditHistoryPorts = (
  { history, reader }: HistoryAuditPorts,
  findings: Findings
): Effect.Effect<void, StoreFailure> =>
  Effect.gen(function*() {
    const { ethereumBlockNum, version } = yield* reader.stamp
    const changes = new ChangesBackwards(yield* currentValues(reader), findings)
    let next: LedgerBlock | null = null
    let number: bigint | undefined = ethereumBlockNum
    while (number !== undefined) {
      const block: LedgerBlock | null = (yield* history.block(number)).item
      if (block === null) {
        findings.violate("changes", `block ${number}`, null, "a stored block")
        return
      }
      const place = `block ${number}, next`
      findings.same("changes", place, block.next?.number, next?.block.number)
      for (const { accountChanges, batch } of block.batches.toReversed()) {
        changes.undo(`batch ${batch.batchNum}`, accountChanges)
      }
      next = block
      number = block.previous?.number
    }
    changes.end()
    yield* auditRollBacks(history, version, findings)
  })

const currentValues = Effect.fnUntraced(
  function*(
    reader: LedgerReader["Service"]
  ): Effect.fn.Return<Map<AccountIndex, AccountValues | null>, StoreFailure> {
    const values = new Map<AccountIndex, AccountValues | null>()
    for (let fromItem = 0;;) {
      const { items } = yield* reader.list("accounts", {
        filters: {},
        fromItem,
        limit: rowsPerPage
      })
        .pipe(Effect.catchTag("NotRegistered", Effect.die))
      for (const { account } of items) values.set(account.index, account)
      const last = items.at(-1)
      if (last === undefined) return values
      fromItem = last.account.itemId + 1
    }
  }
)

/** Compares changes, the last one first, with the values that must follow each of them. */
class ChangesBackwards {
  /** The values after the change that comes next; null if the account must not exist then. */
  readonly #values: Map<AccountIndex, AccountValues | null>
  readonly #findings: Findings

  constructor(current: Map<AccountIndex, AccountValues | null>, findings: Findings) {
    this.#values = current
    this.#findings = findings
  }

  undo(batch: string, changes: ReadonlyArray<AccountChange>): void {
    this.#findings.checked("changes", changes.length)
    for (const { after, before, index } of changes) {
      this.#findings.same(
        "changes",
        `${batch}, account ${index}`,
        textOf(after),
        textOf(this.#values.get(index) ?? null)
      )
      this.#values.set(index, before)
    }
  }

  /** Every account must have been created by a change. */
  end(): void {
    for (const [index, values] of this.#values) {
      if (values !== null) {
        this.#findings.violate("changes", `account ${index}`, textOf(values), "its creation")
      }
    }
  }
}

const textOf = (values: AccountValues | null): string =>
  values === null ? "no account" : `nonce ${values.nonce}, balance ${values.balance}`

const auditRollBacks = Effect.fnUntraced(
  function*(
    history: LedgerHistory["Service"],
    version: number,
    findings: Findings
  ): Effect.fn.Return<void, StoreFailure> {
    let [serial, afterVersion] = [0, 0]
    while (true) {
      const { items } = yield* history.rollBacks({ afterVersion, limit: rowsPerPage })
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
      if (items.length < rowsPerPage) return
    }
  }
)
