/** The client for hosts that use Effect. */
import { Effect, Stream } from "effect"
import {
  type CallOptions,
  type ClientOptions,
  type ListOf,
  type ListsOf,
  type RevisionName,
  type Revisions,
  rollupClient,
  type Taking
} from "./client.ts"
import type { Local } from "./local_name.ts"
import { type Answer, type Failure, type Outcome, RequestFailed } from "./outcome.ts"

interface Declared {
  readonly takes: unknown
  readonly answers: unknown
}

/** One operation as an effect. */
export type EffectCall<O extends Declared, Prefix extends string> = (
  ...parameters: Taking<O, Prefix>
) => Effect.Effect<Answer<Local<O["answers"], Prefix>>, Failure>

/** The pages of a list, and their items, as streams. */
export interface Streamed<Operations, Prefix extends string> {
  readonly items: <Id extends ListsOf<Operations>>(
    id: Id,
    ...parameters: Taking<ListOf<Operations, Id>, Prefix>
  ) => Stream.Stream<Local<ListOf<Operations, Id>["item"], Prefix>, Failure>
  readonly pages: <Id extends ListsOf<Operations>>(
    id: Id,
    ...parameters: Taking<ListOf<Operations, Id>, Prefix>
  ) => Stream.Stream<Answer<Local<ListOf<Operations, Id>["answers"], Prefix>>, Failure>
}

/** The operations of a revision as effects that fail with a failure of the client, told by its `_tag`. */
export type EffectClient<Revision extends RevisionName = "later", Prefix extends string = "zk"> =
  & {
    readonly [Id in keyof Revisions[Revision]]: Revisions[Revision][Id] extends Declared
      ? EffectCall<Revisions[Revision][Id], Prefix>
      : never
  }
  & Streamed<Revisions[Revision], Prefix>

/** The same client as `rollupClient`; whoever interrupts an effect ends its request. Throws a TypeError where `url` is no URL. */
export const effectClient = <
  const Revision extends RevisionName = "later",
  const Prefix extends string = "zk"
>(
  options: ClientOptions<Revision, Prefix>
): EffectClient<Revision, Prefix> => {
  const { items, pages, ...calls } = rollupClient(options) as unknown as Untyped
  const asked = Object.entries(calls as { readonly [id: string]: AnyCall }).map(([id, call]) => [
    id,
    (parameters?: unknown) =>
      Effect.flatMap(
        Effect.promise((signal) => call(parameters, { signal })),
        (outcome) => outcome.ok ? Effect.succeed(outcome) : Effect.fail(outcome)
      )
  ])
  return {
    ...Object.fromEntries(asked),
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

/** Each run of the stream asks anew, and ends what it asks when it is ended. */
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
