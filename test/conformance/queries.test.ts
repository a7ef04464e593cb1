/*
 * The rules of URLs and of untyped queries, each with a valid and an invalid value, and its
 * message.
 */
import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import { keccak256 } from "../../adapters/hashing/mod.ts"
import {
  BadInput,
  checkItemKey,
  checkListQuery,
  earlier,
  type InputFault,
  invalidValue,
  type ItemName,
  jsonPointer,
  later,
  v1,
  type ListName,
  nearestName,
  noQuery,
  pathReader,
  queryReader,
  type Revision,
  revisionList,
  strictRules,
  wireContext
} from "../../core/contract/mod.ts"

const zk = { prefix: "zk", name: "", chainId: 1, rollupAddress: "" }
const address = `0x${"a".repeat(40)}`

const readerOf = (
  list: ListName,
  revision: Revision = later,
  prefix = "zk",
  listItemsMax?: number
) =>
  queryReader(
    list,
    revision,
    wireContext({ ...zk, prefix }, keccak256),
    revisionList,
    listItemsMax
  )
const messagesOf = (faults: ReadonlyArray<InputFault>) =>
  faults.map(({ message, parameter, rule, value }) => [parameter, value, rule, message])
const read = (
  list: ListName,
  query: string,
  ...of: [revision?: Revision, prefix?: string, listItemsMax?: number]
) => {
  const result = readerOf(list, ...of)(query)
  return Result.isSuccess(result) ? result.success : messagesOf(result.failure)
}
/** Returns the names of the violations, each with its message. */
const wrong = (
  list: ListName,
  query: string,
  ...of: [revision?: Revision, prefix?: string, listItemsMax?: number]
) => {
  const result = readerOf(list, ...of)(query)
  return Result.isSuccess(result) ? [] : result.failure.map(({ message }) => message)
}

describe("a query string", () => {
  it("is decoded into filters and a page", () => {
    assert.deepStrictEqual(read("transactions", ""), { filters: {} })
    assert.deepStrictEqual(read("transactions", "&&"), { filters: {} })
    assert.deepStrictEqual(
      read(
        "transactions",
        "tokenId=0&batchNum=4294967295&type=Exit&order=DESC&limit=2049&fromItem=4294967295"
      ),
      {
        filters: { tokenId: 0, batchNum: 4294967295, type: "Exit" },
        order: "DESC",
        limit: 2049,
        fromItem: 4294967295
      }
    )
    assert.deepStrictEqual(read("tokens", "name=a+b%2B%3D=c&ids=3,1,3&symbols=A,B"), {
      filters: { name: "a b+==c", ids: [3, 1], symbols: ["A", "B"] }
    })
    assert.deepStrictEqual(
      read("exits", "onlyPendingWithdraws=true&limit=1&fromItem=0&order=ASC"),
      { filters: { onlyPendingWithdraws: true }, limit: 1, fromItem: 0, order: "ASC" }
    )
    assert.deepStrictEqual(read("exits", "onlyPendingWithdraws=false"), {
      filters: { onlyPendingWithdraws: false }
    })
    assert.deepStrictEqual(read("accounts", `hezEthereumAddress=hez:${address}`, later, "hez"), {
      filters: { address }
    })
    assert.deepStrictEqual(
      read("slots", `wonByEthereumAddress=${address}&maxSlothNum=3`, earlier),
      { filters: { wonByForger: address, maxSlotNum: 3 } }
    )
    assert.deepStrictEqual(
      read("slots", `wonByEthereumAddress=${address}&maxSlotNum=3&minSlotNum=3`),
      { filters: { wonByBidder: address, maxSlotNum: 3, minSlotNum: 3 } }
    )
    assert.deepStrictEqual(
      read("slots", `wonByEthereumAddress=${address}&maxSlotNum=3`, v1),
      { filters: { bestBidder: address, maxSlotNum: 3 } }
    )
  })

  it("reports a value that violates its rule, with the value and the rule", () => {
    const uint32 = "a decimal integer from 0 to 4294967295, without sign or leading zeros"
    const invalid = (
      name: string,
      value: string,
      rule: string
    ) => [[
      name,
      value,
      rule,
      `Parameter ${name} has the invalid value ${JSON.stringify(value)}: expected ${rule}`
    ]]
    for (const value of ["4294967296", "-1", "01", "1.0", "x"]) {
      assert.deepStrictEqual(
        read("transactions", `batchNum=${value}`),
        invalid("batchNum", value, uint32)
      )
    }
    assert.deepStrictEqual(
      read("batches", "fromItem=4294967296"),
      invalid("fromItem", "4294967296", uint32)
    )
    const limit = "a decimal integer from 1 to 2049, without sign or leading zeros"
    for (const value of ["0", "2050"]) {
      assert.deepStrictEqual(read("batches", `limit=${value}`), invalid("limit", value, limit))
    }
    assert.deepStrictEqual(
      read("batches", "order=asc"),
      invalid("order", "asc", "one of ASC, DESC")
    )
    assert.deepStrictEqual(
      read("exits", "onlyPendingWithdraws=True"),
      invalid("onlyPendingWithdraws", "True", "true or false")
    )
    assert.deepStrictEqual(
      read("tokens", "ids=1,,2"),
      invalid("ids", "1,,2", "token identifiers separated by commas, none of them empty")
    )
    assert.deepStrictEqual(
      read("tokens", "ids=1,x"),
      invalid("ids", "1,x", `token identifiers separated by commas, each ${uint32}; found "x"`)
    )
    assert.deepStrictEqual(
      read("tokens", "symbols=,"),
      invalid("symbols", ",", "token symbols separated by commas, none of them empty")
    )
    assert.deepStrictEqual(wrong("transactions", "type=transfer").length, 1)
  })

  it("names each parameter once, with a value, percent-encoded", () => {
    assert.deepStrictEqual(read("tokens", "name="), [[
      "name",
      "",
      "a value",
      "Parameter name is empty: set a value or leave it out"
    ]])
    assert.deepStrictEqual(read("tokens", "name"), [[
      "name",
      "",
      "a value",
      "Parameter name is empty: set a value or leave it out"
    ]])
    assert.deepStrictEqual(read("tokens", "=1"), [[
      "",
      "1",
      "a known parameter",
      'Unknown parameter "": the known ones are ids, symbols, name, fromItem, order, limit'
    ]])
    assert.deepStrictEqual(read("tokens", "name=a&name=b&name=c&limit=1"), [[
      "name",
      "b",
      "given once",
      "Parameter name occurs more than once: send it once"
    ]])
    const undecodable = (
      text: string
    ) => [
      text,
      null,
      "percent-encoded UTF-8",
      `The query part "${text}" is not percent-encoded UTF-8`
    ]
    assert.deepStrictEqual(read("tokens", "name=%ff&name=%ff&%zz=1"), [
      undecodable("name=%ff"),
      undecodable("%zz=1")
    ])
    // it counts as present
    assert.deepStrictEqual(read("bids", "slotNum=%ff"), [undecodable("slotNum=%ff")])
    assert.deepStrictEqual(wrong("exits", `BJJ=%ff&zkEthereumAddress=zk:${address}`), [
      'The query part "BJJ=%ff" is not percent-encoded UTF-8',
      "Parameters zkEthereumAddress and BJJ exclude each other: use one of them"
    ])
    assert.deepStrictEqual(wrong("bids", "limit=%ff"), [
      'The query part "limit=%ff" is not percent-encoded UTF-8',
      "At least one of the parameters slotNum, bidderAddr is required"
    ])
    const long = `${"%ff".repeat(40)}=1`
    assert.deepStrictEqual(wrong("tokens", long), [
      `The query part "${long.slice(0, 100)}" is not percent-encoded UTF-8`
    ])
  })

  it("contains only known names; an unknown one is reported with the nearest name, or the revision that has it", () => {
    const unknown = (
      list: ListName,
      query: string,
      ...of: [revision?: Revision, prefix?: string]
    ) => {
      const result = readerOf(list, ...of)(query)
      return Result.isSuccess(result)
        ? []
        : result.failure.map(({ message, nearest }) => [message, nearest])
    }
    assert.deepStrictEqual(unknown("tokens", "nam=1&nam=2"), [[
      'Unknown parameter "nam": did you mean name?',
      "name"
    ]])
    assert.deepStrictEqual(unknown("tokens", "zzzzzzzz=1"), [[
      'Unknown parameter "zzzzzzzz": the known ones are ids, symbols, name, fromItem, order, limit',
      undefined
    ]])
    assert.deepStrictEqual(
      unknown("tokens", "constructor=1&limits=2").map(([, nearest]) => nearest),
      [undefined, "limit"]
    )
    assert.deepStrictEqual(unknown("slots", "maxSlothNum=1"), [[
      'Unknown parameter "maxSlothNum": it belongs to revision "earlier"; in revision "later" its name is maxSlotNum',
      "maxSlotNum"
    ]])
    assert.deepStrictEqual(unknown("exits", "onlyPendingWithdraws=true", earlier), [[
      'Unknown parameter "onlyPendingWithdraws": only revision "later" supports it',
      undefined
    ]])
    const name = `limit${"x".repeat(200)}`
    assert.deepStrictEqual(
      unknown("coordinators", `${name}=1`)[0]![0],
      `Unknown parameter "${name.slice(0, 100)}": the known ones are fromItem, order, limit`
    )
    assert.deepStrictEqual(
      unknown("accounts", "zkEthereumAddress=1", later, "hez")[0]![1],
      "hezEthereumAddress"
    )
  })

  it("lists at most the allowed number of items", () => {
    assert.deepStrictEqual(read("tokens", "ids=1,2", later, "zk", 2), { filters: { ids: [1, 2] } })
    const result = readerOf("tokens", later, "zk", 2)("ids=1,1,x")
    assert.deepStrictEqual(Result.isFailure(result) && result.failure, [{
      in: "query",
      parameter: "ids",
      value: "1,1,x",
      rule: "at most 2 items",
      message: "Parameter ids lists 3 items: expected at most 2 items; send several requests",
      limit: "listItemsMax"
    }])
    assert.deepStrictEqual(wrong("tokens", `ids=${"1,".repeat(2048)}1`), [])
    assert.deepStrictEqual(wrong("tokens", `ids=,${"1,".repeat(2048)}1`), [
      "Parameter ids lists 2050 items: expected at most 2049 items; send several requests"
    ])
  })

  it("with several violations reports each", () => {
    assert.deepStrictEqual(
      readerOf("bids")("a=1&limit=0&slotNum=x&slotNum=1&order=").pipe(Result.isFailure),
      true
    )
    assert.lengthOf(wrong("bids", "a=1&limit=0&slotNum=x&slotNum=1&order="), 5)
  })

  it("of an operation without parameters reports each name once", () => {
    assert.deepStrictEqual(noQuery("", strictRules), [])
    assert.deepStrictEqual(messagesOf(noQuery("a=1&a=2&b&%ff&%ff=1&c=%ff", strictRules)), [
      ["a", "2", "no parameters", 'Unknown parameter "a": this operation takes none'],
      ["b", "", "no parameters", 'Unknown parameter "b": this operation takes none'],
      ["%ff", null, "percent-encoded UTF-8", 'The query part "%ff" is not percent-encoded UTF-8'],
      [
        "%ff=1",
        null,
        "percent-encoded UTF-8",
        'The query part "%ff=1" is not percent-encoded UTF-8'
      ],
      [
        "c=%ff",
        null,
        "percent-encoded UTF-8",
        'The query part "c=%ff" is not percent-encoded UTF-8'
      ]
    ])
    assert.include(
      noQuery(`${"a".repeat(200)}=1`, strictRules)[0]!.message,
      `"${"a".repeat(100)}":`
    )
  })
})

describe("a path", () => {
  it("is decoded by its parameters, each percent-encoded", () => {
    const reader = pathReader([{ name: "batchNum", scalar: "batchNum", doc: "" }, {
      name: "zkEthereumAddress",
      scalar: "prefixedAddress",
      doc: ""
    }], wireContext({ ...zk, prefix: "hez" }, keccak256))
    assert.deepStrictEqual(reader(["7", `hez%3A${address}`]), Result.succeed([7, address]))
    const refused = reader(["%ff", `zk:${address}`])
    assert.deepStrictEqual(
      Result.isFailure(refused) &&
        refused.failure.map(({ in: where, parameter, value }) => [where, parameter, value]),
      [["path", "batchNum", "%ff"], ["path", "hezEthereumAddress", `zk:${address}`]]
    )
    assert.strictEqual(
      Result.isFailure(refused) && refused.failure[0]!.message,
      'Parameter batchNum has the invalid value "%ff": expected percent-encoded UTF-8'
    )
  })
})

describe("a violation", () => {
  it("repeats at most a part of a value", () => {
    const [fits, longer] = ["a".repeat(200), "a".repeat(201)]
    assert.deepStrictEqual([
      invalidValue("query", "p", fits, "r").value,
      invalidValue("query", "p", longer, "r").value
    ], [fits, `${fits}…`])
    assert.strictEqual(jsonPointer("a~/b~1"), "/a~0~1b~01")
    const [one, other] = [invalidValue("query", "p", "1", "r"), invalidValue("path", "q", "2", "r")]
    assert.strictEqual(new BadInput({ faults: [one] }).message, one.message)
    assert.strictEqual(
      new BadInput({ faults: [one, other] }).message,
      `2 violations: ${one.message}; ${other.message}`
    )
  })

  it("names the nearest known name if it is close enough", () => {
    const names = ["limit", "order", "fromItem", "accountIndex"]
    const nearest = {
      limit: "limit",
      LIMIT: "limit",
      limi: "limit",
      lim: "limit",
      li: undefined,
      imt: "limit",
      rdr: "order",
      fromItm: "fromItem",
      fromtiem: "fromItem",
      accountindexes: "accountIndex",
      accntIndx: "accountIndex",
      acIndx: undefined,
      xyz: undefined
    }
    for (const [name, expected] of Object.entries(nearest)) {
      assert.strictEqual(nearestName(name, names), expected, name)
    }
    // the first of several equally close names
    assert.deepStrictEqual([
      nearestName("ab", ["abcd", "abc", "abx"]),
      nearestName("abcdef", ["abcd"]),
      nearestName("abcdef", ["abc"])
    ], ["abc", "abcd", undefined])
  })
})

describe("an untyped query", () => {
  const faultsIn = <A>(checked: Result.Result<A, BadInput>) =>
    Result.isSuccess(checked) ? [] : messagesOf(checked.failure.faults)
  const faultsOf = (list: ListName, query: unknown) =>
    faultsIn(checkListQuery(list, query as never))
  const keyFaultsOf = (item: ItemName, key: unknown) => faultsIn(checkItemKey(item, key as never))
  const invalid = (
    name: string,
    value: string,
    rule: string
  ) => [name, value, rule, `${name} has the invalid value ${value}: expected ${rule}`]
  const absent = (
    name: string,
    rule: string
  ) => [name, null, rule, `${name} is missing: expected ${rule}`]
  const uint32 = "an integer from 0 to 4294967295"
  const queryObject = "an object of filters, fromItem, order, limit"

  it("follows the rules of a URL, and is copied", () => {
    const right: ReadonlyArray<readonly [ListName, object]> = [
      ["accounts", {
        filters: { address, tokenIds: [0, 4294967295] },
        fromItem: 0,
        order: "DESC",
        limit: 1
      }],
      ["accounts", {
        filters: { publicKey: "a".repeat(64), tokenIds: [] },
        limit: 2049,
        fromItem: 4294967295
      }],
      ["transactions", {
        filters: { accountIndex: 2 ** 48 - 1, type: "Exit", address: undefined }
      }],
      ["tokens", { filters: { symbols: ["a"], name: "\n", ids: undefined }, order: "ASC" }],
      ["exits", { filters: { onlyPendingWithdraws: false, batchNum: 0 } }],
      ["slots", {
        filters: { minSlotNum: 3, maxSlotNum: 3, wonByForger: address }
      }],
      ["bids", { filters: {} }]
    ]
    for (const [list, query] of right) {
      const checked = Result.getOrThrow(checkListQuery(list, query as never))
      assert.deepStrictEqual(checked, query as never)
      assert.notStrictEqual(
        checked.filters,
        (query as { readonly filters: object }).filters as never
      )
    }
    for (const query of [{}, { filters: undefined }]) {
      assert.deepStrictEqual(
        checkListQuery("accounts", query as never),
        Result.succeed({ filters: {} })
      )
    }
  })

  it("is refused with every invalid value, its path and its rule, for values of any type", () => {
    const lower = "0x and 40 lower-case hexadecimal digits"
    for (
      const [value, text] of [
        [-1, "-1"],
        [4294967296, "4294967296"],
        [1.5, "1.5"],
        ["1", '"1"'],
        [null, "null"],
        [NaN, "NaN"],
        [5n, "5n"],
        [Object.create(null), "{}"],
        [Symbol("s"), "Symbol(s)"]
      ] as const
    ) {
      assert.deepStrictEqual(faultsOf("exits", { filters: { batchNum: value } }), [
        invalid("filters.batchNum", text, uint32)
      ])
    }
    for (const [filters, text] of [[null, "null"], [1, "1"], ["x", '"x"']] as const) {
      assert.deepStrictEqual(faultsOf("tokens", { filters }), [
        invalid("filters", text, "an object of ids, symbols, name, addresses")
      ])
    }
    assert.deepStrictEqual(faultsOf("exits", undefined), [absent("query", queryObject)])
    for (const [query, text] of [[null, "null"], [1, "1"], ["x", '"x"']] as const) {
      assert.deepStrictEqual(faultsOf("exits", query), [invalid("query", text, queryObject)])
    }
    for (const limit of [0, 2050]) {
      assert.deepStrictEqual(faultsOf("exits", { limit }), [
        invalid("limit", `${limit}`, "an integer from 1 to 2049")
      ])
    }
    assert.deepStrictEqual(faultsOf("exits", { order: "asc", fromItem: -1 }), [
      invalid("fromItem", "-1", uint32),
      invalid("order", '"asc"', "one of ASC, DESC")
    ])
    for (
      const value of [address.toUpperCase(), `${address}a`, `x${address}`, address.slice(0, -1), 5]
    ) {
      assert.deepStrictEqual(faultsOf("accounts", { filters: { address: value } }), [
        invalid("filters.address", typeof value === "string" ? JSON.stringify(value) : "5", lower)
      ])
    }
    assert.deepStrictEqual(faultsOf("accounts", { filters: { tokenIds: [1, -1, "x"] } }), [
      invalid("filters.tokenIds.1", "-1", uint32),
      invalid("filters.tokenIds.2", '"x"', uint32)
    ])
    assert.deepStrictEqual(faultsOf("accounts", { filters: { tokenIds: 1 } }), [
      invalid("filters.tokenIds", "1", `an array, each ${uint32}`)
    ])
    for (
      const publicKey of [
        "a".repeat(63),
        "A".repeat(64),
        `${"a".repeat(64)}a`,
        `x${"a".repeat(64)}`
      ]
    ) assert.lengthOf(faultsOf("accounts", { filters: { publicKey } }), 1)
    const notEmpty = "a text that is not empty"
    assert.deepStrictEqual(faultsOf("tokens", { filters: { name: "", symbols: [""] } }), [
      invalid("filters.symbols.0", '""', notEmpty),
      invalid("filters.name", '""', notEmpty)
    ])
    assert.deepStrictEqual(faultsOf("tokens", { filters: { name: 5 } }), [
      invalid("filters.name", "5", notEmpty)
    ])
    assert.deepStrictEqual(faultsOf("exits", { filters: { onlyPendingWithdraws: "true" } }), [
      invalid("filters.onlyPendingWithdraws", '"true"', "true or false")
    ])
    assert.lengthOf(
      faultsOf("transactions", { filters: { type: "transfer", accountIndex: 2 ** 48 } }),
      2
    )
    assert.deepStrictEqual(
      faultsOf("transactions", { filters: { type: "x".repeat(300) } })[0]![1],
      `"${"x".repeat(199)}`
    )
  })

  it("contains only known names, and no inherited properties", () => {
    assert.deepStrictEqual(faultsOf("tokens", { limits: 1, filters: { nam: "x" } }), [
      ["limits", "1", "a known name", "Unknown name limits: did you mean limit?"],
      ["filters.nam", '"x"', "a known name", "Unknown name filters.nam: did you mean name?"]
    ])
    assert.deepStrictEqual(faultsOf("tokens", { filters: { zzzzzzzz: 1 } }), [[
      "filters.zzzzzzzz",
      "1",
      "a known name",
      "Unknown name filters.zzzzzzzz: the known ones are ids, symbols, name, addresses"
    ]])
    for (const name of ["constructor", "toString", "__proto__", "hasOwnProperty"]) {
      const query = JSON.parse(`{ "${name}": 1, "filters": { "${name}": 1 } }`)
      assert.deepStrictEqual(
        faultsOf("tokens", query).map(([parameter, , rule]) => [parameter, rule]),
        [[name, "a known name"], [`filters.${name}`, "a known name"]]
      )
      assert.deepStrictEqual(
        faultsOf(name as ListName, {}).map(([parameter, value, rule]) => [parameter, value, rule]),
        [[
          "list",
          `"${name}"`,
          "one of accounts, exits, transactions, batches, slots, bids, tokens, coordinators"
        ]]
      )
      assert.deepStrictEqual(
        keyFaultsOf(name as ItemName, 1).map((
          [parameter, value, rule]
        ) => [parameter, value, rule]),
        [[
          "item",
          `"${name}"`,
          "one of account, exit, transaction, batch, fullBatch, slot, token, coordinator"
        ]]
      )
    }
  })

  it("contains no filters that exclude each other, and bounds in their order", () => {
    assert.deepStrictEqual(faultsOf("exits", { filters: { accountIndex: 256, tokenId: 0 } }), [[
      "filters.tokenId",
      "0",
      "not together with accountIndex",
      "Filters accountIndex and tokenId exclude each other: use one of them"
    ]])
    assert.deepStrictEqual(
      faultsOf("exits", { filters: { accountIndex: -1, tokenId: 0 } }).map(([parameter]) =>
        parameter
      ),
      ["filters.accountIndex", "filters.tokenId"]
    )
    assert.deepStrictEqual(
      faultsOf("exits", { filters: { accountIndex: 256, tokenId: undefined } }),
      []
    )
    assert.deepStrictEqual(
      faultsOf("exits", { filters: { accountIndex: undefined, tokenId: 0 } }),
      []
    )
    assert.deepStrictEqual(faultsOf("slots", { filters: { minSlotNum: 4, maxSlotNum: 3 } }), [[
      "filters.minSlotNum",
      "4",
      "at most maxSlotNum",
      "Filter minSlotNum is 4, above maxSlotNum, which is 3"
    ]])
    assert.lengthOf(faultsOf("slots", { filters: { minSlotNum: 4, maxSlotNum: "3" } }), 1)
    assert.lengthOf(faultsOf("slots", { filters: { minSlotNum: "4", maxSlotNum: 3 } }), 1)
  })

  it("of one item contains its key", () => {
    const id = `0x02${"a".repeat(64)}`
    const keys: {
      readonly [N in ItemName]: readonly [right: unknown, ...wrong: ReadonlyArray<unknown>]
    } = {
      account: [2 ** 48 - 1, 2 ** 48, -1, "256"],
      exit: [{ batchNum: 1, accountIndex: 256 }, { batchNum: -1, accountIndex: 256 }, {
        batchNum: 1
      }, { batchNum: 1, accountIndex: 256, more: 1 }],
      transaction: [id, id.toUpperCase(), `${id}0`, `x${id}`, 5],
      batch: [1, -1, 2 ** 32],
      fullBatch: [1, 1.5],
      slot: [2 ** 32 - 1, 2 ** 32],
      token: [0, null, undefined],
      coordinator: [address, address.slice(1)]
    }
    for (const [item, [right, ...others]] of Object.entries(keys)) {
      assert.deepStrictEqual(
        checkItemKey(item as ItemName, right as never),
        Result.succeed(right as never)
      )
      for (const other of others) {
        assert.lengthOf(keyFaultsOf(item as ItemName, other), 1, `${item} ${String(other)}`)
      }
    }
    assert.deepStrictEqual(keyFaultsOf("exit", undefined), [
      absent("exit", "an object of batchNum, accountIndex")
    ])
    for (const [nothing, text] of [[null, "null"], [1, "1"]] as const) {
      assert.deepStrictEqual(keyFaultsOf("exit", nothing), [
        invalid("exit", text, "an object of batchNum, accountIndex")
      ])
    }
    assert.deepStrictEqual(keyFaultsOf("exit", {}), [
      absent("batchNum", uint32),
      absent("accountIndex", "an integer from 0 to 281474976710655")
    ])
    assert.deepStrictEqual(keyFaultsOf("batch", "x"), [invalid("batch", '"x"', uint32)])
  })
})
