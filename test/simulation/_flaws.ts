import { Effect, Result, Semaphore } from "effect"
import { type PoolStore, StoreFailure } from "../../core/ports/mod.ts"
import type { SeededRandom } from "../laws/_seeded_random.ts"
import type { Ports, Services, Tampering } from "./machine/mod.ts"

type Pool = PoolStore["Service"]
type List = Ports["reader"]["list"]

const pool = (change: (pool: Pool) => Partial<Pool>): Tampering => ({
  ports: (ports) => ({ ...ports, pool: { ...ports.pool, ...change(ports.pool) } })
})
const list = (
  change: (list: List) => (...query: Parameters<List>) => ReturnType<List>
): Tampering => ({
  ports: (ports) => ({
    ...ports,
    reader: { ...ports.reader, list: change(ports.reader.list) as List }
  })
})
const writer = (change: (ports: Ports) => Partial<Ports["writer"]>): Tampering => ({
  ports: (ports) => ({ ...ports, writer: { ...ports.writer, ...change(ports) } })
})
const handle = (change: (handle: Services["handle"]) => Services["handle"]): Tampering => ({
  services: (services) => ({ ...services, handle: change(services.handle) })
})

/** Nodes that break one promise each, as a real defect might. */
export const flaws: { readonly [label: string]: (random: () => SeededRandom) => Tampering } = {
  "acknowledges writes before they are on disk": () => ({ isDiskHasty: true }),
  "loses its last record at a start": () => ({ found: ({ synced }) => void synced.pop() }),
  "reorders its records at a start": () => ({
    found: ({ synced }) => {
      const pools = synced.filter(({ kind }) => kind === "pool")
      synced.splice(
        0,
        synced.length,
        ...synced.map((entry) => entry.kind === "pool" ? pools.pop()! : entry)
      )
    }
  }),
  "loses a transaction when its batch is rolled back": () =>
    pool(({ reconcile }) => ({
      reconcile: (step, atMs) =>
        reconcile({
          ...step,
          changes: step.changes.map((change) =>
            change.to === "pend" && change.from === "fged" ? { ...change, to: null } : change
          )
        }, atMs)
    })),
  "does not notice the transactions of a batch": () =>
    pool(({ reconcile }) => ({
      reconcile: (step, atMs) => reconcile({ ...step, changes: [] }, atMs)
    })),
  "acknowledges transactions without storing them": (random) =>
    pool(({ addTransaction }) => ({
      addTransaction: (...given) =>
        random().chance(0.1) ? Effect.succeed({ kind: "added" }) : addTransaction(...given)
    })),
  "stores an authorization in the process only": (random) =>
    pool(({ addAuthorization }) => ({
      addAuthorization: (authorization) =>
        random().chance(0.3)
          ? Effect.succeed({ added: true, authorization })
          : addAuthorization(authorization)
    })),
  "accepts other content for the same transaction": () =>
    pool(({ addTransaction, pooled }) => ({
      pooled: (ids) =>
        Effect.map(
          pooled(ids),
          (found) => found.filter(({ transaction }) => transaction.state !== "pend")
        ),
      addTransaction: (...given) =>
        Effect.map(
          addTransaction(...given),
          (added) => added.kind === "known" ? { kind: "added" as const } : added
        )
    })),
  "serves a stale cached answer about the ledger": () => ({
    ports: (ports) => ({
      ...ports,
      tip: {
        ...ports.tip,
        version: () => {
          const version = ports.tip.version()
          return version === null ? null : version - version % 4
        }
      }
    })
  }),
  "applies a block twice after an unknown commit": () =>
    writer(({ writer: { apply, rollBack } }) => {
      let unacknowledgedHash = ""
      return {
        apply: (block, decide) => {
          const again = unacknowledgedHash === block.hash
            ? Effect.asVoid(rollBack(block.number - 1n, () => Result.void))
            : Effect.void
          unacknowledgedHash = ""
          return Effect.tapError(
            Effect.andThen(again, apply(block, decide)),
            () => Effect.sync(() => void (unacknowledgedHash = block.hash))
          )
        }
      }
    }),
  "acknowledges a rollback before it is done": () =>
    writer(({ reader, writer: { rollBack } }) => {
      let dropped = 0
      return {
        rollBack: (toBlock, check) =>
          ++dropped % 2 === 0
            ? Effect.map(
              reader.snapshotId,
              (snapshotId) => ({
                toBlock,
                lastBlock: { number: toBlock, hash: "", timestampMs: 0 },
                blocks: 1,
                batches: 0,
                isHeadRemoved: false,
                lastBatchNum: snapshotId.batchNum ?? 0,
                snapshotId: { ...snapshotId, version: snapshotId.version + 1 }
              })
            )
            : rollBack(toBlock, check)
      }
    }),
  "skips an item of a page after a rollback": () => ({
    ports: (ports) => {
      let dropped = false
      return {
        ...ports,
        writer: {
          ...ports.writer,
          rollBack: (toBlock, check) =>
            Effect.tap(
              ports.writer.rollBack(toBlock, check),
              () => Effect.sync(() => void (dropped = true))
            )
        },
        reader: {
          ...ports.reader,
          list: (name, query) =>
            ports.reader.list(
              name,
              dropped && query.fromItem !== undefined
                ? { ...query, fromItem: query.fromItem + 1 }
                : query
            )
        }
      }
    }
  }),
  "counts one pending item too many if there are filters": () =>
    list((inner) => (name, query) =>
      Effect.map(
        inner(name, query),
        (page) =>
          Object.keys(query.filters).length === 0
            ? page
            : { ...page, counts: { ...page.counts, pendingItems: page.counts.pendingItems + 1 } }
      )
    ),
  "mixes items and counts of two versions": () => {
    const before = new Map<string, number>()
    return list((inner) => (name, query) =>
      Effect.map(inner(name, query), (page) => {
        const key = name + JSON.stringify(query)
        const totalItems = before.get(key) ?? page.counts.totalItems
        before.set(key, page.counts.totalItems)
        return {
          ...page,
          counts: {
            ...page.counts,
            totalItems,
            pendingItems: Math.max(
              0,
              page.counts.pendingItems + totalItems - page.counts.totalItems
            )
          }
        }
      })
    )
  },
  "names another version than the one it shows": () =>
    list((inner) => (name, query) =>
      Effect.map(
        inner(name, query),
        (page) => ({
          ...page,
          snapshotId: { ...page.snapshotId, version: page.snapshotId.version + 1 }
        })
      )
    ),
  "answers every conditional request with 304": () =>
    handle((inner) => (request) =>
      request.headers["if-none-match"] === undefined ?
        inner(request) :
        Effect.map(inner(request), (answer) =>
          answer.status === 200 ? { ...answer, status: 304, body: "" } : answer)
    ),
  "omits Retry-After": () =>
    handle((inner) => (request) =>
      Effect.map(inner(request), (answer) => {
        const { "retry-after": _, ...headers } = answer.headers
        return { ...answer, headers }
      })
    ),
  "fails forever after some failures": () => {
    let failures = 0
    return list((inner) => (name, query) =>
      failures >= 3
        ? Effect.fail(new StoreFailure({ message: "The connection is broken", retry: true }))
        : Effect.tapErrorTag(inner(name, query), "StoreFailure", () =>
          Effect.sync(() =>
            void failures++
          ))
    )
  },
  "leaks the place of a client that disconnects": () =>
    handle((inner) => {
      const places = Semaphore.makeUnsafe(2)
      return (request) =>
        Effect.flatMap(places.take(1), () => Effect.tap(inner(request), () => places.release(1)))
    })
}
