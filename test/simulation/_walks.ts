import { revisionList } from "../../core/contract/mod.ts"
import { localName } from "../../core/domain/mod.ts"
import type { Facts } from "../laws/mod.ts"
import { listOperations, urlOf } from "./_reads.ts"
import { read } from "./_requests.ts"
import type { LedgerRead } from "./_reference.ts"
import type { World } from "./_world.ts"
import { textOf } from "../_answers.ts"

const walked = ["accounts", "transactions", "exits", "batches", "tokens", "coordinators"] as const

/** A client that pages ascending, each page from after the last item, during rollbacks. */
export interface Walk {
  readonly list: typeof walked[number]
  readonly revision: LedgerRead["revision"]
  readonly ofToken: boolean
  readonly seen: Set<number>
  next: number
  isUnderWay: boolean
  /** Whether the last page was the end. */
  isAtEnd: boolean
}

/** Starts a walk, or continues one. */
export function continueWalk(world: World): void {
  const { random, walks } = world
  if (walks.length < 3) {
    const list = random.chance(0.5) ? "transactions" : random.of(walked)
    walks.push({
      list,
      // an item that a preset hides may appear behind the reader
      revision: random.of(revisionList.filter(({ presets }) => presets?.[list] === undefined)),
      ofToken: (list === "transactions" || list === "exits") && random.chance(0.3),
      seen: new Set(),
      next: 0,
      isUnderWay: false,
      isAtEnd: false
    })
  }
  const walk = random.of(walks)
  if (!walk.isUnderWay) takePage(world, walk, 1 + random.below(8))
}

export function takePage(world: World, walk: Walk, limit: number): void {
  const { next, ofToken, seen } = walk
  const filter = ofToken ? `${localName(world.genesis.network, "tokenId")}=0&` : ""
  const ledgerRead: LedgerRead = {
    revision: walk.revision,
    operation: listOperations.get(walk.list)!,
    values: [],
    query: `${filter}fromItem=${next}&limit=${limit}`
  }
  walk.isUnderWay = true
  world.count("walk")
  read(world, ledgerRead, { method: "GET", url: urlOf(ledgerRead), headers: {} }, (answer) => {
    if (answer.status !== 200) return
    const page = JSON.parse(textOf(answer)) as {
      readonly [list: string]: ReadonlyArray<{ readonly itemId: number }>
    } & {
      readonly pendingItems?: number
      readonly pagination?: { readonly totalItems: number; readonly lastItem: number | null }
    }
    const items = page[walk.list]!
    for (const { itemId } of items) {
      world.check(itemId >= next, () => `A page of ${walk.list} from ${next} has item ${itemId}`)
      seen.add(itemId)
    }
    const last = items.at(-1)?.itemId
    if (last !== undefined) walk.next = last + 1
    walk.isAtEnd = page.pagination === undefined
      ? page.pendingItems === 0
      : (page.pagination.lastItem ?? -1) < walk.next
  }, () => void (walk.isUnderWay = false))
}

/**
 * Describes the items that a walk missed when it has reached the end; undefined if there are none.
 */
export function missed(facts: Facts, { list, ofToken, seen }: Walk): string | undefined {
  const rows: ReadonlyArray<{ readonly itemId: number; readonly tokenId?: number }> = facts[list]
  const lost = rows.find(({ itemId, tokenId }) => !seen.has(itemId) && (!ofToken || tokenId === 0))
  return lost === undefined
    ? undefined
    : `A reader of ${list} came to the end and never saw item ${lost.itemId}`
}
