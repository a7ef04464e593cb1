import { assert, describe, it } from "@effect/vitest"
import { Cause } from "effect"
import { JournalError } from "../../../adapters/journal/mod.ts"
import { DatabaseError } from "../../../adapters/sql/mod.ts"
import {
  exitCodes,
  type ExitReason,
  ProgramFailure,
  programFailure
} from "../../../app/process/exit_codes.ts"
import { CurrencyFileError, FeedFileError } from "../../../app/sources/mod.ts"
import { StoreFailure } from "../../../core/ports/mod.ts"
import { makeViolation } from "../../../core/use_cases/violation/mod.ts"

/* The code with which the program ends for each reason of a failure; the types name all reasons. */

const reasons: { readonly [R in ExitReason]: number } = {
  success: 0,
  unexpected: 1,
  usage: 2,
  inUse: 3,
  store: 4,
  refused: 5,
  violations: 6,
  memory: 7
}

const journal: { readonly [R in JournalError["reason"]]: number } = {
  directory: 4,
  inUse: 3,
  foreign: 4,
  otherFormat: 4,
  otherNetwork: 4,
  damaged: 4,
  missing: 4
}

const database: { readonly [R in DatabaseError["reason"]]: number } = {
  url: 2,
  refused: 4,
  unreachable: 4,
  migrationChanged: 4,
  newer: 4,
  otherNetwork: 4
}

const message = "Something is wrong"
const others: ReadonlyArray<readonly [Error, number]> = [
  [new StoreFailure({ message, retry: false, cause: undefined }), 4],
  [new StoreFailure({ message, retry: true, cause: undefined }), 4],
  [new CurrencyFileError({ message }), 5],
  [new FeedFileError({ message }), 5],
  [makeViolation("nonce", 1n, "2", "/nonce"), 5]
]

type Case = readonly [name: string, error: Error, code: number]

const casesOf = <R extends string>(
  name: string,
  codes: { readonly [Reason in R]: number },
  errorOf: (reason: R) => Error
): ReadonlyArray<Case> =>
  Object.entries<number>(codes).map(([reason, code]) => [
    `${name} ${reason}`,
    errorOf(reason as R),
    code
  ])

const cases: ReadonlyArray<Case> = [
  ...casesOf("failure", reasons, (exitReason) => new ProgramFailure({ exitReason, message })),
  ...casesOf("JournalError", journal, (reason) => new JournalError({ reason, message })),
  ...casesOf("DatabaseError", database, (reason) => new DatabaseError({ reason, message })),
  ...others.map(([error, code]) => [error.name, error, code] as const)
]

describe("the exit code", () => {
  for (const [name, error, code] of cases) {
    it(`of ${name} is ${code}`, () => {
      for (const cause of [Cause.fail(error), Cause.die(error)]) {
        const failure = programFailure(cause)
        assert.strictEqual(failure && exitCodes[failure.exitReason].code, code)
        assert.strictEqual(failure?.message, error.message)
      }
    })
  }

  it("after the working directory was removed is that of a store, with advice", () => {
    const error = Object.assign(new Error("ENOENT: no such file or directory, uv_cwd"), {
      syscall: "uv_cwd"
    })
    const failure = programFailure(Cause.die(error))
    assert.strictEqual(failure?.exitReason, "store")
    assert.match(failure!.message, /^The working directory was removed: change to another one/u)
  })

  it("of any other error is that of an unexpected one", () => {
    for (const error of [new Error(message), new TypeError(message), message, undefined]) {
      assert.isUndefined(programFailure(Cause.die(error)))
    }
  })
})
