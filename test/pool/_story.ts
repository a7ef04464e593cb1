/*
 * Runs stories about the pool: given transactions by name, when commands run one after the other,
 * then each returns the text behind its arrow. `verbs` lists the commands. Ids in texts are replaced
 * by the names of their transactions.
 */
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import type { Account, PostedGroup, PostedTransaction } from "../../core/domain/mod.ts"
import { INTERNAL_ADDRESS } from "../../core/encoding/mod.ts"
import { LedgerReader, PoolStore, StoreFailure } from "../../core/ports/mod.ts"
import {
  Ledger,
  Pool,
  type Selection,
  Submission,
  type SubmissionOptions
} from "../../core/use_cases/mod.ts"
import { groupOf, requestOf } from "./_groups.ts"
import {
  bareLedger,
  batchOf,
  batchOfSelection,
  nodeLayer,
  openChain,
  ownerOf,
  postedOf,
  type VerificationCounts
} from "./_node.ts"

/** A transaction that differs from that of `postedOf`; `requires` names another one. */
type Parts = Partial<PostedTransaction> & { readonly requires?: string }

export interface Given {
  readonly transactions?: { readonly [name: string]: Parts }
  /** Names of transactions, separated by spaces. */
  readonly groups?: { readonly [name: string]: string }
  readonly node?: Partial<SubmissionOptions>
}

/** The parts of a transfer between two accounts. */
export const pay = (
  fromAccountIndex: number,
  toAccountIndex: number,
  parts: Parts = {}
): Parts => ({ fromAccountIndex, toAccountIndex, ...parts })
export const exit = { type: "Exit", toAccountIndex: 1 } as const
export const toAddress = (owner: number) =>
  ({ type: "TransferToEthAddr", toAccountIndex: null, toAddress: ownerOf(owner).address }) as const
export const toKey = (toPublicKey: string) =>
  ({
    type: "TransferToBJJ",
    toAccountIndex: null,
    toAddress: INTERNAL_ADDRESS,
    toPublicKey
  }) as const

type Run = (scene: Scene, text: string) => Effect.Effect<string, unknown>
type Failure = { readonly _tag: string; readonly message: string }

/** What a story has opened, and what its commands remember. */
type Scene = Effect.Success<ReturnType<typeof openScene>>

const namedTransactions = (given: Given["transactions"] = {}) => {
  const named = new Map<string, PostedTransaction>()
  const resolve = (name: string): PostedTransaction => {
    const known = named.get(name)
    if (known !== undefined) return known
    const { requires, ...parts } = given[name] ?? assert.fail(`No transaction ${name} is given`)
    const posted = postedOf(parts)
    named.set(name, posted)
    // the required one may require this one
    if (requires !== undefined) {
      named.set(name, { ...posted, request: requestOf(resolve(requires)) })
    }
    return named.get(name)!
  }
  for (const name of Object.keys(given)) resolve(name)
  return named
}

const openScene = Effect.fnUntraced(
  function*({ groups = {}, transactions }: Given, hooks: Hooks, verified: VerificationCounts) {
    const chain = yield* openChain
    const named = namedTransactions(transactions)
    const groupsOf = new Map<string, PostedGroup>(
      Object.entries(groups).map(([name, members]) => [
        name,
        groupOf(members.split(" ").map((member) => named.get(member)!))
      ])
    )
    const names = new Map([
      ...[...named].toReversed().map(([name, { id }]) => [id, name] as const),
      ...[...groupsOf].map(([name, { id }]) => [id, name] as const)
    ])
    return {
      chain,
      named,
      groups: groupsOf,
      hooks,
      verified,
      ledger: yield* Ledger,
      bare: yield* bareLedger,
      pool: yield* Pool,
      store: yield* PoolStore,
      reader: yield* LedgerReader,
      submission: yield* Submission,
      /** The message of the last failure. */
      message: "",
      selection: undefined as Selection | undefined,
      dropped: [] as ReturnType<typeof chain.cut>["dropped"],
      shown: (text: string) => text.replaceAll(/0x\w{64,66}/gu, (id) => names.get(id) ?? id)
    }
  }
)

/** Commands that run once at an event. */
interface Hooks {
  beforeWrite?: { readonly of: string | undefined; readonly run: Effect.Effect<void> } | undefined
  /** Whether reconciliations fail. */
  isBroken?: boolean
}

const words = (text: string): ReadonlyArray<string> => text.split(" ").filter((word) => word !== "")
const numbers = (text: string): ReadonlyArray<number> =>
  [...text.matchAll(/\d+/gu)].map(([digits]) => Number(digits))
const listed = (all: ReadonlyArray<string>): string => all.length === 0 ? "-" : all.join(" ")
const postedNamed = ({ named }: Scene, name: string): PostedTransaction =>
  named.get(name) ?? assert.fail(`No transaction ${name} is given`)
const idsOf = (scene: Scene, text: string) => words(text).map((name) => postedNamed(scene, name).id)
const changed = (scene: Scene, ids: Effect.Effect<ReadonlyArray<string>, unknown>) =>
  Effect.map(ids, (all) => scene.shown(listed(all)))

/** Returns whether content was stored or known before, or why it was not. */
const outcomeOf = <A extends { readonly stored: boolean }, E extends Failure>(
  scene: Scene,
  submitting: Effect.Effect<A, E>
) =>
  Effect.match(submitting, {
    onSuccess: ({ stored }) => stored ? "stored" : "known",
    onFailure: (failure: Failure & { readonly faults?: ReadonlyArray<Fault>; limit?: string }) => {
      scene.message = failure.message
      return [
        failure._tag.replace("Submission", "").toLowerCase(),
        ...failure.limit === undefined ? [] : [failure.limit],
        ...failure.faults?.map(({ parameter, ruleName }) =>
          ruleName === undefined ? parameter : `${parameter}:${ruleName}`
        ) ?? []
      ].join(" ")
    }
  })
interface Fault {
  readonly parameter: string
  readonly ruleName?: string
}

/** Returns the batches of a block: `3 a b>258 +7 +i8, 4` has two, and creates accounts in the first. */
const batchesOf = (scene: Scene, text: string) =>
  text.split(",").map((part) => {
    const [batchNum, ...items] = words(part)
    const created = items.filter((item) => item.startsWith("+"))
    return batchOf(Number(batchNum), {
      l1Coordinator: created.map((item) => {
        const owner = ownerOf(numbers(item)[0]!)
        return item.startsWith("+i")
          ? { tokenId: 0, ...owner, address: INTERNAL_ADDRESS, signature: null }
          : { tokenId: 0, ...owner }
      }),
      l2: items.filter((item) => !item.startsWith("+")).map((item) => {
        const [name, to] = item.split(">")
        const { amount, fee, fromAccountIndex, nonce, toAccountIndex } = postedNamed(scene, name!)
        return {
          amount,
          fee,
          fromAccountIndex,
          nonce,
          toAccountIndex: Number(to ?? toAccountIndex)
        }
      })
    })
  })

/** Returns accounts with changes: `256.balance=9 257.tokenId=1 256.owner=8`. */
const accountsOf = Effect.fnUntraced(function*({ reader }: Scene, text: string) {
  const accounts = new Map<number, Account>()
  for (const change of words(text)) {
    const [, index, member, value] = /^(\d+)\.(\w+)=(\w+)$/u.exec(change)!
    const template =
      (yield* reader.find("account", Number(index) < 262 ? Number(index) : 256)).item!.account
    const account = accounts.get(Number(index)) ?? { ...template, index: Number(index) }
    const owner = ownerOf(value === "i" ? 0 : Number(value))
    accounts.set(Number(index), {
      ...account,
      // a new one is empty
      ...accounts.has(Number(index)) || Number(index) < 262 ? {} : { balance: 0n, nonce: 0n },
      ...member === "owner"
        ? owner
        : member === "key"
        ? { publicKey: owner.publicKey }
        : member === "address"
        ? { address: value === "i" ? INTERNAL_ADDRESS : owner.address }
        : { [member!]: member === "tokenId" ? Number(value) : BigInt(value!) }
    })
  }
  return [...accounts.values()]
})

const grow = (scene: Scene, which: "ledger" | "bare") => (batches: ReturnType<typeof batchesOf>) =>
  Effect.as(scene[which].applyBlock(scene.chain.grow({ batches })), "")
const rollBack = (which: "ledger" | "bare"): Run => (scene, text) =>
  Effect.suspend(() => {
    const { dropped, toBlock } = scene.chain.cut(Number(text))
    scene.dropped = dropped
    return Effect.as(scene[which].rollBack(toBlock), "")
  })
/** Returns the transitions of a transaction as texts. */
const stepsOf = ({ pool, shown }: Scene, id: string) =>
  Effect.map(
    pool.transitions(id),
    (steps) => steps.map(({ batchNum, reason, to }) => shown(`${to} ${batchNum ?? "-"} ${reason}`))
  )

const verbs: { readonly [verb: string]: Run } = {
  // posts
  "post group": (scene, name) => {
    const group = scene.groups.get(name)!
    return outcomeOf(
      scene,
      Effect.tap(
        scene.submission.submitGroup(group),
        ({ ids }) =>
          Effect.sync(() => assert.deepStrictEqual(ids, group.transactions.map(({ id }) => id)))
      )
    )
  },
  post: (scene, text) =>
    Effect.map(
      Effect.forEach(words(text), (name) =>
        outcomeOf(scene, scene.submission.submitTransaction(postedNamed(scene, name)))),
      (outcomes) =>
        [...new Set(outcomes)].join(", ")
    ),
  // a transaction, or the one of an account with a nonce: `replace a by b`, `replace 256/0 by b`
  replace: (scene, text) => {
    const [old, other] = text.split(" by ")
    const [index, nonce] = numbers(old!)
    const replaced = /^\d+\/\d+$/u.test(old!)
      ? { fromAccountIndex: index!, nonce: BigInt(nonce!) }
      : postedNamed(scene, old!).id
    return outcomeOf(
      scene,
      scene.submission.replaceTransaction(replaced, postedNamed(scene, other!))
    )
  },
  authorize: (scene, number) =>
    outcomeOf(scene, scene.submission.submitAuthorization(ownerOf(Number(number)))),
  // the number of signatures
  verified: (scene) => Effect.succeed(String(scene.verified.count)),
  message: (scene) => Effect.succeed(scene.shown(scene.message)),
  // selections: `select 9`, `select 9 new 1`, `select 9 given 256.balance=5`
  select: Effect.fnUntraced(function*(scene, text) {
    const [, maxTransactions, maxNewAccounts, given = ""] =
      /^(\d+)(?: new (\d+))?(?: given (.*))?$/u.exec(text)!
    const selection = yield* scene.pool.select({
      maxTransactions: Number(maxTransactions),
      ...maxNewAccounts === undefined ? {} : { maxNewAccounts: Number(maxNewAccounts) },
      ...given === "" ? {} : { accounts: yield* accountsOf(scene, given) }
    })
    scene.selection = selection
    return scene.shown(listed(selection.transactions.map(({ transaction }) => transaction.id)))
  }),
  receivers: ({ selection }) =>
    Effect.succeed(listed(
      selection!.transactions.map(({ receiver }) => Object.values(receiver).join(":"))
    )),
  created: ({ selection }) =>
    Effect.succeed(listed(
      selection!.accounts.map(({ address, publicKey, tokenId }) => {
        const owner = Array.from({ length: 12 }, (_, i) => i)
          .find((number) => ownerOf(number).publicKey === publicKey)
        return `${tokenId}:${address === INTERNAL_ADDRESS ? "i" : ""}${owner}`
      })
    )),
  // of the last selection, or the recorded one of a transaction
  skipped: (scene, name) =>
    name === ""
      ? Effect.succeed(
        scene.selection!.skippedTransactions.map(({ code, reason }) =>
          scene.shown(`${code} ${reason}`)
        ).join("; ") || "-"
      )
      : Effect.map(
        scene.pool.skippedTransaction(postedNamed(scene, name).id),
        (found) => found === null ? "-" : scene.shown(`${found.code} ${found.reason}`)
      ),
  // a name stands for the id; with `=` for the content
  start: (scene, text) => {
    const [names, batchNum] = text.split(" in ")
    const selected = words(names!).map((name) =>
      name.startsWith("=") ? postedNamed(scene, name.slice(1)) : postedNamed(scene, name).id
    )
    return changed(scene, scene.pool.startForging(selected, Number(batchNum)))
  },
  done: (scene, text) => {
    const [names, batchNum] = text.split(" in ")
    return changed(scene, scene.pool.doneForging(idsOf(scene, names!), Number(batchNum)))
  },
  invalidate: (scene, text) => {
    const [names, batchNum] = text.split(" in ")
    const which = idsOf(scene, names!).map((id) => ({ id, reason: `No ${id}` }))
    return changed(scene, scene.pool.invalidate(which, Number(batchNum)))
  },
  // `use 256/1 in 7`: the next nonce of the account is 1 since batch 7
  use: (scene, text) => {
    const [index, nonce, batchNum] = numbers(text)
    const nonces = [{ index: index!, nonce: BigInt(nonce!) }]
    return changed(scene, scene.pool.invalidateOldNonces(nonces, batchNum!))
  },
  release: (scene, batchNum) => changed(scene, scene.pool.rollBack(Number(batchNum))),
  remove: (scene, names) => changed(scene, scene.pool.remove(idsOf(scene, names), "Test")),
  // `purge 1000 ms batch 9 safety 2 capacity 9`
  purge: (scene, text) => {
    const [ttlMs, currentBatch, safetyPeriodBatches, capacity] = numbers(text) as [
      number,
      number,
      number,
      number
    ]
    return changed(scene, scene.pool.purge({ ttlMs, currentBatch, safetyPeriodBatches, capacity }))
  },
  wait: (_, ms) => Effect.as(TestClock.adjust(Number(ms)), ""),
  reconcile: (scene) => changed(scene, scene.pool.reconcile),
  // the ledger; `bare` leaves the pool as it is
  "forge selection": (scene) =>
    Effect.suspend(() => grow(scene, "ledger")([batchOfSelection(scene.selection!)])),
  "bare forge": (scene, text) => grow(scene, "bare")(batchesOf(scene, text)),
  forge: (scene, text) => grow(scene, "ledger")(batchesOf(scene, text)),
  "bare roll back": rollBack("bare"),
  "roll back": rollBack("ledger"),
  "apply again": (scene) => {
    scene.chain.restore(scene.dropped)
    return Effect.as(Effect.forEach(scene.dropped, scene.ledger.applyBlock), "")
  },
  // what the pool has
  states: (scene, names) =>
    Effect.map(
      Effect.forEach(idsOf(scene, names), (id) => scene.pool.transaction(id)),
      (all) =>
        all.map((found) => found === null ? "gone" : `${found.state}${found.batchNum ?? ""}`).join(
          " "
        )
    ),
  steps: (scene, name) =>
    Effect.map(stepsOf(scene, postedNamed(scene, name).id), (steps) => steps.join("; ")),
  reasons: (scene, names) =>
    Effect.map(
      Effect.forEach(idsOf(scene, names), (id) => stepsOf(scene, id)),
      (all) => all.map((steps) => steps.at(-1)!.replace(/^\w+ \S+ /u, "")).join("; ")
    ),
  content: (scene, name) =>
    Effect.map(
      scene.pool.transaction(postedNamed(scene, name).id),
      (found) =>
        [...scene.named].find(([, { id, signature, toAccountIndex, maxNumBatch }]) =>
          found?.id === id && found.signature === signature &&
          found.toAccountIndex === toAccountIndex && found.maxNumBatch === maxNumBatch
        )?.[0] ?? "another"
    ),
  pending: ({ store }) => Effect.map(store.counts, ({ pend }) => String(pend)),
  marks: ({ store }) =>
    Effect.map(
      store.reconciledBatchesBelow({ batchNum: 999, limit: 9 }),
      (all) => listed(all.map(({ batchNum }) => String(batchNum)))
    ),
  // as if the pool had been restored without the mark of its ledger
  "forget marks": ({ store }) =>
    Effect.flatMap(
      store.reconciledBatchesBelow({ batchNum: 999, limit: 1 }),
      ([from]) => Effect.as(store.reconcile({ from: from!, to: null, changes: [] }, 0), "")
    ),
  break: ({ hooks }) => Effect.sync(() => (hooks.isBroken = true, "")),
  mend: ({ hooks }) => Effect.sync(() => (hooks.isBroken = false, "")),
  // `set a fing 3`: behind the back of the pool
  set: Effect.fnUntraced(function*(scene, text) {
    const [name, to, batchNum] = words(text)
    const { batchNum: fromBatchNum, id, state } =
      (yield* scene.pool.transaction(postedNamed(scene, name!).id))!
    const change = { id, from: state, fromBatchNum, to, batchNum: Number(batchNum), reason: "Set" }
    yield* scene.store.change([change as Parameters<typeof scene.store.change>[0][number]], 0)
    return ""
  })
}

/** Runs a command and compares its result. */
const runLine = (scene: Scene, line: string): Effect.Effect<void, unknown> => {
  const [when, then] = line.split(" -> ") as [string, string?]
  const verb = Object.keys(verbs).find((each) => when === each || when.startsWith(`${each} `))
  if (verb === undefined) return assert.fail(`No verb: ${line}`)
  const running = verbs[verb]!(scene, when.slice(verb.length + 1))
  const usual = verb.startsWith("post") || verb === "replace" || verb === "authorize"
    ? "stored"
    : undefined
  const expected = then ?? usual
  return Effect.map(
    expected?.startsWith("fails ") === true
      ? Effect.map(Effect.flip(running), (failure) => `fails ${(failure as Failure)._tag}`)
      : running,
    (result) => {
      if (expected !== undefined) assert.strictEqual(result, expected, line)
    }
  )
}

/** Runs lines; `while it verifies: a & b` and `before a write: a & b` run a and b at that time. */
const runLines = (scene: Scene, lines: ReadonlyArray<string>): Effect.Effect<void, unknown> =>
  Effect.forEach(lines, (line) => {
    const [, event, of, commands] =
      /^(while it verifies|before a write(?: of (\w+))?): (.*)$/u.exec(line) ?? []
    if (commands === undefined) return runLine(scene, line)
    const run = Effect.orDie(Effect.forEach(
      commands.split(" & "),
      (each) => runLine(scene, each),
      { discard: true }
    ))
    if (event === "while it verifies") {
      scene.verified.hook = Effect.suspend(() => {
        delete scene.verified.hook
        return run
      })
    } else {
      scene.hooks.beforeWrite = { of: of && postedNamed(scene, of).id, run }
    }
    return Effect.void
  }, { discard: true })

/** Returns the commands of a text, without comments and with one line for each. */
const linesOf = (text: string): ReadonlyArray<string> =>
  text.trim().replaceAll(/\n\s*(?=->)/gu, " ").replaceAll(/\n\s*;/gu, ";")
    .replaceAll(/\n\s*\.\.\. /gu, " ").split("\n")
    .map((line) => line.replaceAll(/\s+/gu, " ").trim())
    .filter((line) => line !== "" && !line.startsWith("#"))

/**
 * Declares a test: given transactions, when the commands of the text run, one a line, then each has
 * the result behind its arrow. A line that begins with an arrow, a semicolon or three dots continues
 * the line before it.
 */
export const story = (name: string, given: Given) => (text: string): void => {
  const verified: VerificationCounts = { count: 0 }
  const hooks: Hooks = {}
  const layer = nodeLayer(given.node, verified, {
    pool: (store) => ({
      reconcile: (step, atMs) =>
        Effect.suspend(() => {
          const { beforeWrite, isBroken } = hooks
          if (isBroken === true) {
            return Effect.fail(new StoreFailure({ message: "Test", retry: true }))
          }
          const isDue = beforeWrite !== undefined &&
            (beforeWrite.of === undefined || step.changes.some(({ id }) => id === beforeWrite.of))
          if (!isDue) return store.reconcile(step, atMs)
          hooks.beforeWrite = undefined
          return Effect.andThen(beforeWrite.run, store.reconcile(step, atMs))
        })
    })
  })
  it.effect(name, () =>
    Effect.gen(function*() {
      const scene = yield* openScene(given, hooks, verified)
      yield* runLines(scene, linesOf(text))
      assert.isUndefined(verified.hook ?? hooks.beforeWrite, "An event did not happen")
    }).pipe(Effect.provide(layer)))
}
