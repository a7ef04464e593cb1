import { Effect } from "effect"
import {
  type LedgerReader,
  type LedgerStamp,
  type LedgerWriter,
  mapReader
} from "../../../core/ports/mod.ts"

export interface LedgerPorts {
  readonly reader: LedgerReader["Service"]
  readonly writer: LedgerWriter["Service"]
}

/** Returns the same ports, but calls `onVersion` with the version of each answer before giving it. */
export const trackVersions = (
  { reader, writer }: LedgerPorts,
  onVersion: (version: number) => Effect.Effect<void>
): LedgerPorts => {
  const onStamp = ({ version }: LedgerStamp) => onVersion(version)
  const onAnswer = ({ stamp }: { readonly stamp: LedgerStamp }) => onStamp(stamp)
  return {
    reader: mapReader((call, stampOf) =>
      call(reader).pipe(
        Effect.tap((answer) => onStamp(stampOf(answer))),
        Effect.tapError((error) =>
          error._tag === "NotRegistered" ? onStamp(error.stamp) : Effect.void
        )
      )
    ),
    writer: {
      apply: (block, decide) => Effect.tap(writer.apply(block, decide), onAnswer),
      rollBack: (toBlock, check) => Effect.tap(writer.rollBack(toBlock, check), onAnswer),
      setPrices: (prices, check) => Effect.tap(writer.setPrices(prices, check), onStamp)
    }
  }
}
