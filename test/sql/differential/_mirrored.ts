import { Effect, Exit, Semaphore } from "effect"
import { isDeepStrictEqual, inspect } from "node:util"
import type { OpenPool } from "../../laws/mod.ts"

/** Counts equal results. */
export interface Agreement {
  answers: number
}

/**
 * Combines two sets of stores: every call goes to both before the next one, and their results must
 * be equal in every value, failures included. A difference is a defect with the call and both
 * results.
 */
export const mirrored = (one: OpenPool, other: OpenPool, agreement: Agreement): OpenPool => {
  const oneByOne = Semaphore.makeUnsafe(1)
  return {
    reader: both("reader", one.reader, other.reader, agreement, oneByOne),
    writer: both("writer", one.writer, other.writer, agreement, oneByOne),
    store: both("pool", one.store, other.store, agreement, oneByOne)
  }
}

function both<Service extends object>(
  name: string,
  one: Service,
  other: Service,
  agreement: Agreement,
  oneByOne: Semaphore.Semaphore
): Service {
  const twice = (
    call: string,
    first: Effect.Effect<unknown>,
    second: Effect.Effect<unknown>,
    parameters: ReadonlyArray<unknown>
  ) =>
    oneByOne.withPermit(Effect.gen(function*() {
      const [a, b] = [yield* Effect.exit(first), yield* Effect.exit(second)]
      const [left, right] = [plain(a), plain(b)]
      if (!isDeepStrictEqual(left, right)) {
        const show = (value: unknown) =>
          inspect(value, { depth: 12, maxArrayLength: 40, breakLength: 150 })
        return yield* Effect.die(
          new Error(
            `${name}.${call}(${show(parameters).slice(0, 2000)}) gave\n${show(left)}\nand\n${
              show(right)
            }`
          )
        )
      }
      agreement.answers++
      return yield* a
    }))
  return Object.fromEntries(
    Object.keys(one).map((key) => {
      const [first, second] = [one[key as never], other[key as never]] as ReadonlyArray<unknown>
      return [
        key,
        typeof first === "function"
          ? (...parameters: ReadonlyArray<unknown>) =>
            twice(key, first(...parameters), (second as typeof first)(...parameters), parameters)
          : twice(key, first as Effect.Effect<unknown>, second as Effect.Effect<unknown>, [])
      ]
    })
  ) as Service
}

/** Compares values only, without prototypes and the order of members. */
const plain = (exit: Exit.Exit<unknown, unknown>): unknown =>
  strip(Exit.isSuccess(exit) ? exit.value : { failed: exit.cause })

function strip(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(strip)
  if (typeof value !== "object" || value === null) return value
  return Object.fromEntries(
    Object.entries(value).filter(([name, member]) => member !== undefined && name !== "stack").map((
      [name, member]
    ) => [name, strip(member)])
  )
}
