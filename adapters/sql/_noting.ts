import { type Context, Effect } from "effect"
import type { LedgerReader, LedgerWriter } from "../../core/ports/mod.ts"

type Reader = Context.Service.Shape<typeof LedgerReader>
type Writer = Context.Service.Shape<typeof LedgerWriter>

/** The same ports, but `heard` learns of every version that an answer shows before the answer is given. */
export const noting = (
  { reader, writer }: { readonly reader: Reader; readonly writer: Writer }, heard: (version: number) => Effect.Effect<void>
): { readonly reader: Reader; readonly writer: Writer } => {
  const stamped = <A extends { readonly stamp: { readonly version: number } }, E>(effect: Effect.Effect<A, E>): Effect.Effect<A, E> =>
    Effect.tap(effect, ({ stamp }) => heard(stamp.version))
  const stamp = <A extends { readonly version: number }, E>(effect: Effect.Effect<A, E>): Effect.Effect<A, E> => Effect.tap(effect, ({ version }) => heard(version))
  return {
    reader: {
      list: (name, query) => stamped(reader.list(name, query)),
      find: (name, key) => stamped(reader.find(name, key)),
      parties: (of) => stamped(reader.parties(of)),
      state: stamped(reader.state),
      stamp: stamp(reader.stamp)
    },
    writer: {
      apply: (block, decide) => stamped(writer.apply(block, decide)),
      rollBack: (toBlock, check) => stamped(writer.rollBack(toBlock, check)),
      setPrices: (prices, check) => stamp(writer.setPrices(prices, check))
    }
  }
}
