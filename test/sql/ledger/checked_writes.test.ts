import { describe, it } from "@effect/vitest"
import { Context, Effect, Layer, Redacted } from "effect"
import { sqlStores } from "../../../adapters/sql/mod.ts"
import { LedgerReader, LedgerWriter } from "../../../core/ports/mod.ts"
import { checkedWrites } from "../../memory/_checked_writes.ts"
import { freshDatabase } from "../../postgres/mod.ts"
import { genesis } from "../../use_cases/_network.ts"

describe("a block with a slow check, over PostgreSQL", () => {
  it.live("becomes visible when the check has ended, followed by later writes", () =>
    Effect.scoped(Effect.gen(function*() {
      const url = Redacted.make((yield* Effect.promise(freshDatabase)).url)
      const stores = yield* Layer.build(sqlStores({ url, genesis, maxConnections: 4 }))
      yield* checkedWrites({
        reader: Context.get(stores, LedgerReader),
        writer: Context.get(stores, LedgerWriter)
      })
    })))
})
