import type { Entry } from "../../adapters/journal/mod.ts"
import type { PostedAuthorization, PostedTransaction } from "../../core/mod.ts"

/*
 * What the processes of a group say to each other. Each speaks with the supervisor alone, which passes on what is for another one; what
 * comes from one process arrives in its order. Records are numbered from 1.
 */

/** What a wallet posted at a process that does not write. */
export type Question =
  | { readonly kind: "transaction"; readonly posted: PostedTransaction }
  | { readonly kind: "authorization"; readonly posted: PostedAuthorization }

/** The outcome of a question, without classes: what the use case answered, or its failure by tag and members. */
export type Answer =
  | { readonly kind: "success"; readonly value: unknown }
  | { readonly kind: "failure"; readonly failure: { readonly _tag: string } }
  /** There is no writer, or none that answers. */
  | { readonly kind: "unavailable" }

/** Records that follow each other, and how many there are in all. */
export interface Records {
  readonly first: number
  readonly entries: ReadonlyArray<Entry>
  readonly head: number
}

/** From a worker to the supervisor. */
export type Upward =
  /** The writer has its stores open: the network, and the last record. */
  | { readonly kind: "opened"; readonly genesis: string; readonly head: number }
  /** The writer has accepted writes, which no crash takes back. */
  | { readonly kind: "accepted"; readonly records: Records }
  /** Asks for records from a number on. */
  | { readonly kind: "pull"; readonly first: number }
  /** The writer's answer to that. */
  | { readonly kind: "pulled"; readonly to: number; readonly records: Records }
  /** A follower has all records up to one. */
  | { readonly kind: "applied"; readonly last: number }
  /** From here on nothing is shown before this follower has it. */
  | { readonly kind: "join"; readonly last: number }
  | { readonly kind: "ask"; readonly id: number; readonly question: Question }
  | { readonly kind: "answer"; readonly to: number; readonly id: number; readonly answer: Answer }
  /** Answers requests at an address. */
  | { readonly kind: "serving"; readonly address: string }

/** From the supervisor to a worker. */
export type Downward =
  | { readonly kind: "network"; readonly genesis: string }
  | { readonly kind: "accepted"; readonly records: Records }
  | { readonly kind: "pull"; readonly of: number; readonly first: number }
  | { readonly kind: "pulled"; readonly records: Records }
  /** So many records there are, also where they were not sent. */
  | { readonly kind: "head"; readonly head: number }
  /** What records up to this one brought may be shown: everybody has them. */
  | { readonly kind: "shown"; readonly last: number }
  /** What others may have shown before this follower joined. */
  | { readonly kind: "joined"; readonly shown: number }
  | { readonly kind: "ask"; readonly of: number; readonly id: number; readonly question: Question }
  | { readonly kind: "answer"; readonly id: number; readonly answer: Answer }
  | { readonly kind: "writerGone" }
  /** Answer what has come, and end. */
  | { readonly kind: "drain" }
