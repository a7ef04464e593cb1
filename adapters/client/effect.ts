/** The client for hosts that use Effect. */
import { Effect, Stream } from "effect"
import {
  type ArgumentsOf,
  type Declared,
  type ListOf,
  type ListsOf,
  rollupClient
} from "./client.ts"
import type { Local } from "./local_name.ts"
import type { CallOptions, ClientOptions, RevisionName } from "./options.ts"
import { type Answer, type Failure, type Outcome, RequestFailed } from "./outcome.ts"
import type { Revisions } from "./generated/revisions/mod.ts"

/** An operation as an effect; fails with a Failure of the client. */
export type EffectCall<O extends Declared, Prefix extends string> = (
  ...parameters: ArgumentsOf<O, Prefix>
) => Effect.Effect<Answer<Local<O["answers"], Prefix>>, Failure>

/** Lists as streams of pages or items; they fail with a Failure of the client. */
export interface Streamed<Operations, Prefix extends string> {
  readonly items: <Id extends ListsOf<Operations>>(
    id: Id,
    ...parameters: ArgumentsOf<ListOf<Operations, Id>, Prefix>
  ) => Stream.Stream<Local<ListOf<Operations, Id>["item"], Prefix>, Failure>
  readonly pages: <Id extends ListsOf<Operations>>(
    id: Id,
    ...parameters: ArgumentsOf<ListOf<Operations, Id>, Prefix>
  ) => Stream.Stream<Answer<Local<ListOf<Operations, Id>["answers"], Prefix>>, Failure>
}

/**
 * The operations of a revision as effects. They fail with a Failure, which `Effect.catchTag`
 * distinguishes by `_tag`.
 */
export type EffectClient<Revision extends RevisionName = "later", Prefix extends string = "zk"> =
  & {
    readonly [Id in keyof Revisions[Revision]]: Revisions[Revision][Id] extends Declared
      ? EffectCall<Revisions[Revision][Id], Prefix>
      : never
  }
  & Streamed<Revisions[Revision], Prefix>

/**
 * Returns the client of `rollupClient` with effects and streams. Interrupting an effect aborts its
 * request. Throws a TypeError if `url` is not a URL.
 *
 * ```ts
 * import { Effect, Stream } from "effect"
 * import { effectClient } from "rollup-node-api/client/effect"
 * import { openNode } from "rollup-node-api/embed"
 * import { simulate } from "rollup-node-api/simulator"
 *
 * const node = await openNode({ genesis: simulate({ seed: 1 }).genesis })
 * const client = effectClient({ url: "http://node", fetch: node.fetch })
 *
 * const symbols = client.items("getTokens").pipe(Stream.map(({ symbol }) => symbol))
 * console.log(await Effect.runPromise(Stream.runCollect(symbols))) // => [ 'ETH' ]
 * const unknown = client.getToken({ id: 7 }).pipe(
 *   Effect.catchTag("Refused", ({ name }) => Effect.succeed(name))
 * )
 * console.log(await Effect.runPromise(unknown)) // => not-found
 * await node.close()
 * ```
 */
export const effectClient = <
  const Revision extends RevisionName = "later",
  const Prefix extends string = "zk"
>(
  options: ClientOptions<Revision, Prefix>
): EffectClient<Revision, Prefix> => {
  const { items, pages, ...calls } = rollupClient(options) as unknown as Untyped
  const operations = Object.entries(calls as { readonly [id: string]: AnyCall }).map((
    [id, call]
  ) => [
    id,
    (parameters?: unknown) =>
      Effect.flatMap(
        Effect.promise((signal) => call(parameters, { signal })),
        (outcome) => outcome.ok ? Effect.succeed(outcome) : Effect.fail(outcome)
      )
  ])
  return {
    ...Object.fromEntries(operations),
    items: streamed(items),
    pages: streamed(pages)
  } as EffectClient<Revision, Prefix>
}

type AnyCall = (parameters: unknown, options: CallOptions) => Promise<Outcome<unknown>>
type AnyPaging = (id: string, parameters: unknown, options: CallOptions) => AsyncIterable<unknown>
interface Untyped {
  readonly items: AnyPaging
  readonly pages: AnyPaging
}

/** Each run of the stream sends its own requests, and aborts them if it ends early. */
const streamed =
  (paging: AnyPaging) => (id: string, parameters?: unknown): Stream.Stream<unknown, Failure> =>
    Stream.unwrap(Effect.map(
      Effect.acquireRelease(
        Effect.sync(() => new AbortController()),
        (controller) => Effect.sync(() => controller.abort())
      ),
      ({ signal }) => Stream.fromAsyncIterable(paging(id, parameters, { signal }), failureOf)
    ))

const failureOf = (error: unknown): Failure => {
  if (error instanceof RequestFailed) return error.failure
  throw error
}
