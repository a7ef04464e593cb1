import type { HeaderRecord } from "./_headers.ts"
import type { LimitName } from "./limit.ts"
import type { HttpAnswer } from "./message.ts"
import type { ProblemName } from "./problem.ts"

/** What a told answer is made of. */
export interface ToldParts {
  /** The answer as others are given it too. */
  readonly shared: HttpAnswer
  /** Lines of a head, for this request alone; empty where it is given the answer as it is. */
  readonly lines: string
}

/**
 * An answer with headers of its request alone. Who has the head of the shared one in writing adds these lines to it, which takes a tenth of
 * what a head takes that is made anew.
 */
export class ToldAnswer implements HttpAnswer {
  readonly status: number
  readonly headers: HeaderRecord
  readonly body: string | Uint8Array
  readonly isAscii?: boolean
  readonly problem?: ProblemName
  readonly limit?: LimitName
  // a copy does not have them: its headers may be others
  readonly #shared: HttpAnswer
  readonly #own: HeaderRecord

  /** @param own by lower-case name, none of which the answer has */
  constructor(shared: HttpAnswer, own: HeaderRecord) {
    const { body, headers, isAscii, limit, problem, status } = shared
    this.status = status
    this.headers = { ...headers, ...own }
    this.body = body
    if (isAscii !== undefined) this.isAscii = isAscii
    if (problem !== undefined) this.problem = problem
    if (limit !== undefined) this.limit = limit
    this.#shared = shared
    this.#own = own
  }

  static partsOf(answer: HttpAnswer): ToldParts {
    if (!(#shared in answer)) return { shared: answer, lines: "" }
    let lines = ""
    for (const name in answer.#own) lines += `${name}: ${answer.#own[name]!}\r\n`
    return { shared: answer.#shared, lines }
  }
}
