import type { Operation, Parameter } from "../fuzz/_document.ts"

/** A request of a golden file. */
export interface GoldenRequest {
  readonly method: string
  readonly url: string
  readonly body?: string
}

/** Values to ask for: texts and numbers of answers, by the names of their properties. */
export class Samples {
  readonly #values = new Map<string, Set<string>>()
  readonly #items: Array<{ readonly [name: string]: unknown }> = []
  readonly #ofPaths: { readonly [operation: string]: ReadonlyArray<string> }

  /** @param ofPaths the values of the path of operations whose items are in no list */
  constructor(ofPaths: { readonly [operation: string]: ReadonlyArray<string> }) {
    this.#ofPaths = ofPaths
  }

  /** Adds all values of an answer. */
  add(value: unknown, name = ""): void {
    if (Array.isArray(value)) value.forEach((each) => this.add(each, name))
    else if (typeof value === "object" && value !== null) {
      this.#items.push(value as { readonly [name: string]: unknown })
      for (const [key, member] of Object.entries(value)) this.add(member, key)
    } else if (typeof value === "string" || typeof value === "number") {
      const known = this.#values.get(name) ?? new Set()
      this.#values.set(name, known.add(String(value)))
    }
  }

  /** Returns the values of at most three items that have all of these properties. */
  together(names: ReadonlyArray<string>): ReadonlyArray<{ readonly [name: string]: string }> {
    return someOf(this.#items.filter((item) => names.every((name) => name in item))).map((item) =>
      Object.fromEntries(names.map((name) => [name, String(item[name])]))
    )
  }

  /** Returns at most three values for a parameter. */
  for(parameter: Parameter, operation: Operation): ReadonlyArray<string> {
    const { schema } = parameter
    const given = this.#ofPaths[operation.id]
    if (parameter.in === "path" && given !== undefined) return given
    if (schema.enum !== undefined) return schema.enum
    if (schema.type === "boolean") return ["true", "false"]
    const known = propertiesOf(parameter.name, operation).flatMap((name) => [
      ...this.#values.get(name) ?? []
    ]).filter((value) => parameter.allows(value) && (!isTokenId(parameter) || /^\d+$/u.test(value)))
    const spread = someOf(known)
    return isPlural(parameter.name) ? [...spread, spread.join(",")] : spread
  }
}

/** Returns the first, the middle and the last value. */
const someOf = <T>(values: ReadonlyArray<T>): ReadonlyArray<T> =>
  values.filter((_, at) => [0, values.length >> 1, values.length - 1].includes(at))

/** Transactions have an `id` too. */
const isTokenId = ({ name }: Parameter): boolean => /^(?:ids|tokenIds?)$/u.test(name)

const isPlural = (name: string): boolean => /^(?:ids|symbols|addresses|tokenIds)$/u.test(name)

/** Returns the properties of answers that show values of a parameter. */
const propertiesOf = (name: string, { path }: Operation): ReadonlyArray<string> => {
  if (name === "id" && path.startsWith("/tokens")) return ["id"]
  if (name === "id" && path.startsWith("/atomic-pool")) return ["atomicGroupId"]
  if (/accountIndex$/iu.test(name)) return ["accountIndex", "fromAccountIndex", "toAccountIndex"]
  if (/bjj$/iu.test(name)) return ["bjj", "fromBJJ", "BJJ"]
  if (/^(?:zk|hez)EthereumAddress$|^(?:from|to)(?:Zk|Hez)EthereumAddress$/u.test(name)) {
    return ["zkEthereumAddress", "hezEthereumAddress"]
  }
  if (/bidder|wonBy/u.test(name)) return ["bidderAddr"]
  if (/batchNum$/iu.test(name)) return ["batchNum"]
  if (/slotNum$/iu.test(name)) return ["slotNum"]
  switch (name) {
    case "tokenId":
    case "tokenIds":
    case "ids":
      return ["id"]
    case "addresses":
      return ["ethereumAddress"]
    case "symbols":
      return ["symbol"]
    case "fromItem":
      return ["itemId"]
    default:
      return [name]
  }
}

/** Valid values that no recorded network contains, and invalid ones. */
const absent: { readonly [type: string]: ReadonlyArray<string> } = {
  accountIndex: ["zk:ETH:4000000", "hez:ETH:4000000", "zk:DAI:256", "hez:DAI:256", "zk:EXIT:1"],
  batchNum: ["4000000", "4294967295", "4294967296", "01"],
  id: [`0x02${"ab".repeat(32)}`, `0x00${"0".repeat(64)}`, "4000000", "0x"],
  other: ["", "-1", "x y"]
}

const fill = (path: string, values: { readonly [name: string]: string }): string =>
  path.replace(/\{(\w+)\}/gu, (_, name: string) => encodeURIComponent(values[name]!))

const query = (pairs: ReadonlyArray<readonly [string, string]>): string =>
  pairs.map(([name, value]) => `${name}=${encodeURIComponent(value)}`).join("&")

/** Returns the requests of a read operation below a mount. */
export const readsOf = (
  mount: string,
  operation: Operation,
  samples: Samples
): ReadonlyArray<GoldenRequest> => {
  const inPath = operation.parameters.filter((each) => each.in === "path")
  const inQuery = operation.parameters.filter((each) => each.in === "query")
  const get = (path: string, pairs: ReadonlyArray<readonly [string, string]> = []) => ({
    method: "GET",
    url: `${mount}${path}${pairs.length === 0 ? "" : `?${query(pairs)}`}`
  })
  const requests: Array<GoldenRequest> = []
  // items by path
  if (inPath.length > 0) {
    const known = inPath.map((parameter) => samples.for(parameter, operation))
    const count = Math.max(...known.map(({ length }) => length))
    const nth = (at: number) =>
      Object.fromEntries(
        inPath.map(({ name }, i) => [name, known[i]![Math.min(at, known[i]!.length - 1)] ?? "0"])
      )
    if (inPath.length > 1) {
      const items = samples.together(inPath.map(({ name }) => name))
      requests.push(...items.map((item) => get(fill(operation.path, item))))
    }
    for (let at = 0; at < count; at++) requests.push(get(fill(operation.path, nth(at))))
    for (const { name } of inPath) {
      const kind = /accountIndex/iu.test(name) ? "accountIndex" : name
      for (const value of [...absent[kind] ?? absent["batchNum"]!, ...absent["other"]!]) {
        if (value !== "") requests.push(get(fill(operation.path, { ...nth(0), [name]: value })))
      }
    }
    requests.push(get(fill(operation.path, nth(0)), [["unknown", "1"]]))
    return requests
  }
  const isPaged = inQuery.some(({ name }) => name === "limit")
  const few: ReadonlyArray<readonly [string, string]> = isPaged ? [["limit", "1"]] : []
  requests.push(
    get(operation.path, isPaged ? [["limit", "3"]] : []),
    get(operation.path, [["unknown", "1"], ...few]),
    get(operation.path, [...few, ["limit", "3"]])
  )
  if (isPaged) {
    for (const order of ["ASC", "DESC", "asc", ""]) {
      requests.push(get(operation.path, [["order", order], ["limit", "3"]]))
    }
    for (const limit of ["0", "2050", "-1", "1.0"]) {
      requests.push(get(operation.path, [["limit", limit]]))
    }
    for (const fromItem of ["0", "4294967295", "4294967296", "x"]) {
      requests.push(get(operation.path, [["fromItem", fromItem], ...few]))
    }
  }
  const filters = inQuery.filter(({ name }) => !["limit", "order", "fromItem"].includes(name))
  for (const filter of filters) {
    const kind = /accountIndex$/iu.test(filter.name) ? "accountIndex" : "batchNum"
    for (
      const value of [...samples.for(filter, operation), ...absent[kind]!, ...absent["other"]!]
    ) {
      requests.push(get(operation.path, [[filter.name, value], ...few]))
    }
    const [value] = samples.for(filter, operation)
    if (isPaged && value !== undefined) {
      const fromItem = inQuery.find(({ name }) => name === "fromItem")!
      const from = samples.for(fromItem, operation).at(1) ?? "1"
      requests.push(
        get(operation.path, [
          [filter.name, value],
          ["order", "DESC"],
          ["fromItem", from],
          ["limit", "2"]
        ])
      )
    }
    // all pairs: which filters combine, and which exclude each other
    for (const other of filters.slice(filters.indexOf(filter) + 1)) {
      const [second] = samples.for(other, operation)
      if (value === undefined || second === undefined) continue
      requests.push(get(operation.path, [[filter.name, value], [other.name, second], ...few]))
    }
  }
  return requests
}

/** Returns the members of an item that a body has too. */
export const bodyOf = (
  names: ReadonlyArray<string>,
  item: { readonly [name: string]: unknown }
): { readonly [name: string]: unknown } =>
  Object.fromEntries(names.flatMap((name) => {
    const value = name === "tokenId" ? (item["token"] as typeof item)["id"] : item[name]
    return value === undefined ? [] : [[name, value]]
  }))

/**
 * Returns the requests of a write operation: items of answers as they are, and one item without
 * each property, or with another value of it.
 */
export const writesOf = (
  url: string,
  { body, method, path }: Operation,
  items: ReadonlyArray<{ readonly [name: string]: unknown }>
): ReadonlyArray<GoldenRequest> => {
  const names = Object.keys(body!.properties)
  const post = (value: unknown) => ({ method, url, body: JSON.stringify(value) })
  const bodies = items.map((item) => bodyOf(names, item))
  const [first = {}] = bodies
  return [
    ...bodies.map(post),
    // operations with the same body read it in the same way
    ...path.includes("{") ? [] : names.flatMap((name) => {
      const { [name]: _, ...others } = first
      return [others, ...[null, -1, "x"].map((value) => ({ ...first, [name]: value }))]
    }).map(post),
    post({ ...first, unknown: 1 }),
    post([]),
    post(null),
    { method, url, body: "{" },
    { method, url, body: "" }
  ]
}
