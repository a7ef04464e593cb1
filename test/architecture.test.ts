import { assert, describe, it } from "@effect/vitest"
import { existsSync, globSync, readdirSync, readFileSync } from "node:fs"
import { dirname, join, relative, resolve } from "node:path"
import { testFilesOf } from "./tools/mutation/_tests.ts"

/*
 * Checks the imports between folders: `app` imports `adapters`, and both import `core`, never the
 * other way, and only through `mod.ts`.
 */

const root = resolve(import.meta.dirname, "..")

interface Import {
  readonly from: string
  readonly specifier: string
  /** The imported file, or undefined for a package. */
  readonly to: string | undefined
  /** True if the import is erased before the program runs. */
  readonly typeOnly: boolean
}

const filesUnder = (folder: string): ReadonlyArray<string> =>
  existsSync(join(root, folder))
    ? readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && entry.name.endsWith(".ts"))
      .map((entry) => relative(root, join(entry.parentPath, entry.name)))
    : []

const statement =
  /^[ \t]*(?:import|export)\s+(type\s)?(?:[^"';]*?\sfrom\s+)?"([^"\n]+)"|\bimport\(\s*"([^"\n]+)"\s*\)/gmu

/** Returns the imports and re-exports of a file, except those in comments. */
function importsOf(file: string): ReadonlyArray<Import> {
  const source = readFileSync(join(root, file), "utf8").replace(/\/\*[\s\S]*?\*\//gu, "").replace(
    /^\s*\/\/.*$/gmu,
    ""
  )
  return [...source.matchAll(statement)].map(([whole, type, named, called]) => {
    const specifier = (named ?? called)!
    const names = /\{([^}]*)\}/u.exec(whole)?.[1]?.split(",").map((name) => name.trim()).filter((
      name
    ) => name !== "")
    const onlyTypes = names !== undefined && names.length > 0 && /^\s*import\s*\{/u.test(whole) &&
      names.every((name) => name.startsWith("type "))
    return {
      from: file,
      specifier,
      to: specifier.startsWith(".")
        ? relative(root, resolve(root, dirname(file), specifier))
        : undefined,
      typeOnly: type !== undefined || onlyTypes ||
        (called !== undefined && /:\s*$/u.test(source.slice(0, source.indexOf(whole))))
    }
  })
}

const files = ["core", "adapters", "app"].flatMap(filesUnder)
const imports = files.flatMap(importsOf)
const top = (file: string): string => file.split("/")[0]!
/** Modules that need Node have a door of their own, so that `mod.ts` works on every platform. */
const doorsForNode: ReadonlyArray<string> = ["adapters/crypto/node.ts"]
const describeImport = ({ from, specifier }: Import): string => `${from} imports ${specifier}`

/** Returns whether the file is in none of these folders. */
const isOutside = (file: string | undefined, ...folders: ReadonlyArray<string>): boolean =>
  file !== undefined && !folders.includes(top(file))

/** What the imports obey, and which ones break it. */
const forbiddenImports: { readonly [fact: string]: (each: Import) => boolean } = {
  "imports files by their whole name, with the extension": ({ specifier, to }) =>
    to !== undefined && (!specifier.endsWith(".ts") || !existsSync(join(root, to))),
  // the worker threads that verify signatures need only effect/Result; all of effect is 250 files
  "has a core that imports only effect itself and core": ({ from, specifier, to }) =>
    top(from) === "core" &&
    (to === undefined ? !["effect", "effect/Result"].includes(specifier) : isOutside(to, "core")),
  "has adapters that import only core, adapters and packages": ({ from, to }) =>
    top(from) === "adapters" && isOutside(to, "core", "adapters"),
  "has an app that imports core, adapters and app, and no tests": ({ from, to }) =>
    top(from) === "app" && isOutside(to, "core", "adapters", "app"),
  "keeps files and folders with a leading underscore private to their folder": ({ from, to }) =>
    to !== undefined &&
    to.split("/").some((part, depth, parts) =>
      part.startsWith("_") &&
      !`${dirname(from)}/`.startsWith(`${parts.slice(0, depth).join("/")}/`)
    ),
  "enters other folders only through mod.ts": ({ from, to }) =>
    to !== undefined && !`${dirname(from)}/`.startsWith(`${dirname(to)}/`) &&
    !to.endsWith("/mod.ts") && !doorsForNode.includes(to)
}

describe("the architecture", () => {
  it("is read from the sources", () => {
    assert.isAbove(files.length, 50)
    assert.isAbove(imports.length, 200)
  })

  for (const [fact, isForbidden] of Object.entries(forbiddenImports)) {
    it(fact, () => {
      assert.deepStrictEqual(imports.filter(isForbidden).map(describeImport), [])
    })
  }

  it("lets the worker threads that verify signatures load only effect/Result", () => {
    const reached = reachable("adapters/crypto/_worker.ts").filter(({ specifier }) =>
      /^effect\b/u.test(specifier)
    )
    assert.isAbove(reached.length, 0)
    assert.deepStrictEqual(
      reached.filter(({ specifier }) => specifier !== "effect/Result").map(describeImport),
      []
    )
  })

  it("mutates core against tests that exist", () => {
    const missing = testFilesOf("core", true).filter((files) =>
      globSync(files, { cwd: root }).length === 0
    )
    assert.deepStrictEqual(missing, [])
  })

  it("holds at most 20 files in a folder", () => {
    const sizes = new Map<string, number>()
    const bounded = [...files, ...filesUnder("test")].filter((path) =>
      !/\.examples|node_modules/u.test(path)
    )
    for (const file of bounded) {
      sizes.set(dirname(file), (sizes.get(dirname(file)) ?? 0) + 1)
    }
    assert.isAbove(sizes.size, 10)
    assert.deepStrictEqual([...sizes].filter(([, size]) => size > 20), [])
  })

  /*
   * A change that exceeds one of these numbers raises it, and says why in its commit: a subject that
   * is new, not a fact that is stated again.
   */
  it("states a field in few files", () => {
    const filesMax = { ethereumTxHash: 7, historicUSD: 6, delayedWithdrawRequest: 6 }
    for (const [field, most] of Object.entries(filesMax)) {
      const naming = files.filter((file) =>
        !file.startsWith("app/simulator/") && !file.includes("/generated/") &&
        new RegExp(`\\b${field}\\b`, "u").test(readFileSync(file, "utf8"))
      )
      assert.isAtMost(naming.length, most, naming.join(" "))
    }
  })

  it("has no more lines in a folder than its subject needs", () => {
    const linesMax: { readonly [folder: string]: number } = {
      // a revision replaces an object in all that contain it, and only one that exists; addresses,
      // keys and times are written in one piece, which buys a tenth of a computed page
      "core/contract": 5996,
      // the fields that withdrawals set, which seven files listed
      "core/domain": 2254,
      "core/encoding": 1364,
      // the cache of successful imports, for pages and verifiers, with its example
      "core/ports": 1804,
      "core/use_cases/audit": 1569,
      "core/use_cases/batch": 538,
      "core/use_cases/block": 1713,
      // a check of rollbacks that hosts can call, with its example; what parts a block changes
      "core/use_cases/ledger": 963,
      "core/use_cases/pool": 4129,
      "core/use_cases/read": 677,
      "core/use_cases/violation": 276,
      "adapters/admin": 2286,
      "adapters/client": 1018,
      "adapters/crypto": 1670,
      "adapters/hashing": 17,
      // its dispatcher serves the admin listener too; a body is whole or a stream
      "adapters/http": 5528,
      // the names of its directories are synced, and row groups are read without copies
      "adapters/journal": 3053,
      "adapters/memory": 4974,
      "adapters/metrics": 277,
      // rollbacks within one write of many records
      "adapters/sql": 10860,
      "adapters/wallet": 1351,
      // `ingest` loads rollbacks with blocks
      "app/commands": 1939,
      "app/config": 1965,
      "app/embed": 1654,
      "app/node": 546,
      "app/packaging": 690,
      "app/process": 346,
      // 50 to resume with all queues, the registrations, and the minimum bids of the closed slots
      "app/simulator": 3571,
      "app/sources": 753,
      "app/stores": 102,
      "app/threads": 186,
      "app/workers": 339
    }
    const lines = new Map<string, number>()
    for (const file of files) {
      if (file.includes("/generated/")) continue
      const folder = file.split("/").slice(0, file.startsWith("core/use_cases/") ? 3 : 2).join("/")
      const count = readFileSync(file, "utf8").split("\n").length - 1
      lines.set(folder, (lines.get(folder) ?? 0) + count)
    }
    for (const [folder, count] of lines) {
      // files beside the folders
      if (folder.endsWith(".ts")) continue
      assert.isAtMost(count, linesMax[folder] ?? 0, folder)
    }
  })

  it("casts without a check at most 15 times", () => {
    const casts = files.filter((file) => !file.includes("/generated/")).flatMap((file) =>
      (readFileSync(file, "utf8").match(/^(?!\s*(?:\*|\/)).*\bas (?:never|unknown as)\b.*$/gmu) ??
        [])
        .map((line) => `${file}: ${line.trim()}`)
    )
    assert.isAtMost(casts.length, 15, casts.join("\n"))
  })

  it("uses only documented interfaces of Node, V8 and libraries", () => {
    const forbidden: ReadonlyArray<readonly [string, RegExp]> = [
      // `socket._httpMessage`, `{ _header: header }`; `_tag` is the public name of Effect
      [
        "reads or writes a private member",
        /(?<![\w./])(?:\w+|\))\??\._(?!tag\b)[a-z]\w*|\[["'`]_[a-z]\w*["'`]\]|\{[^{}\n]*\b_(?!tag\b)[a-z]\w*\s*:/u
      ],
      ["listens to an internal event", /["'`]internalMessage["'`]/u],
      ["replaces a method", /\.(?:emit|on|off|write|end|send|listen|close)\s*=(?!=|>)/u],
      [
        "takes the listeners of another module",
        /\.(?:rawListeners|listeners|removeAllListeners)\(/u
      ],
      [
        "calls a method of a prototype",
        /\.prototype\.\w+\.(?:call|apply|bind)\(|Reflect\.apply\(/u
      ],
      ["changes flags of V8", /setFlagsFromString|--expose-gc|runInNewContext/u],
      ["changes priorities of threads", /\bsetPriority\(|\/proc\/self\/task/u],
      ["hooks module resolution", /registerHooks|module\.register\(/u]
    ]
    const sources = [...files, "app/main.js"].filter((file) => existsSync(join(root, file)))
    const found = sources.flatMap((file) => {
      const code = readFileSync(join(root, file), "utf8").replace(/\/\*[\s\S]*?\*\//gu, "").replace(
        /^\s*\/\/.*$/gmu,
        ""
      )
      return forbidden.flatMap(([what, pattern]) =>
        code.split("\n").filter((line) =>
          pattern.test(line) && !/^\s*(?:import|export)\b.*from/u.test(line)
        ).map((line) => `${file} ${what}: ${line.trim()}`)
      )
    })
    assert.deepStrictEqual(found, [])
  })

  it("has no cycle between files", () => {
    assert.deepStrictEqual(
      cycles(graph(imports.flatMap(({ from, to }) => to === undefined ? [] : [[from, to]]))),
      []
    )
  })

  it("has no cycle between folders, types included", () => {
    const between = imports.flatMap(({ from, to }) =>
      to === undefined || dirname(from) === dirname(to) || within(from, to)
        ? []
        : [[dirname(from), dirname(to)] as const]
    )
    assert.deepStrictEqual(cycles(graph(between)), [])
  })

  for (
    const door of [
      "core/domain/mod.ts",
      "core/encoding/mod.ts",
      "core/contract/mod.ts",
      "core/ports/mod.ts",
      "core/use_cases/mod.ts",
      "adapters/memory/mod.ts",
      "adapters/http/mod.ts",
      "adapters/metrics/mod.ts",
      "adapters/client/mod.ts",
      "adapters/wallet/mod.ts",
      "test/laws/mod.ts"
    ]
  ) {
    it(`reaches nothing of Node from ${door}`, () => {
      assert.isTrue(existsSync(join(root, door)), `${door} is missing`)
      assert.deepStrictEqual(
        reachable(door).filter(({ specifier }) =>
          /^node:|platform-node|^@effect\/vitest|^vitest/u.test(specifier)
        ).map(describeImport),
        []
      )
    })
  }
})

/** Returns whether one folder contains the other. */
const within = (a: string, b: string): boolean =>
  `${dirname(a)}/`.startsWith(`${dirname(b)}/`) || `${dirname(b)}/`.startsWith(`${dirname(a)}/`)

function graph(
  arrows: ReadonlyArray<readonly [string, string] | ReadonlyArray<string>>
): Map<string, Set<string>> {
  const to = new Map<string, Set<string>>()
  for (const [from, target] of arrows) to.set(from!, (to.get(from!) ?? new Set()).add(target!))
  return to
}

/** Returns one path for each cycle that a depth-first search finds. */
function cycles(to: Map<string, Set<string>>): ReadonlyArray<string> {
  const done = new Set<string>()
  const found: Array<string> = []
  const visit = (node: string, path: ReadonlyArray<string>): void => {
    if (path.includes(node)) {
      found.push([...path.slice(path.indexOf(node)), node].join(" → "))
      return
    }
    if (done.has(node)) return
    for (const next of to.get(node) ?? []) visit(next, [...path, node])
    done.add(node)
  }
  for (const node of to.keys()) visit(node, [])
  return found
}

/** Returns every import that runs if a file is imported. */
function reachable(file: string): ReadonlyArray<Import> {
  const seen = new Set<string>()
  const all: Array<Import> = []
  const visit = (next: string): void => {
    if (seen.has(next) || !existsSync(join(root, next))) return
    seen.add(next)
    for (const found of importsOf(next)) {
      if (found.typeOnly) continue
      all.push(found)
      if (found.to !== undefined) visit(found.to)
    }
  }
  visit(file)
  return all
}
