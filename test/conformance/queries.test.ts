/* The rules of URLs and of untyped queries, with the messages of those that a query breaks. */
import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import { keccak256 } from "../../adapters/hashing/mod.ts"
import {
  BadInput,
  checkItemKey,
  checkListQuery,
  type InputFault,
  invalidValue,
  type ItemName,
  jsonPointer,
  type ListName,
  nearestName,
  noQuery,
  pathReader,
  queryReader,
  revisionList,
  strictRules,
  wireContext
} from "../../core/contract/mod.ts"
import { context } from "./_values.ts"

const hez = wireContext({ ...context.network, prefix: "hez" }, keccak256)
const address = `0x${"a".repeat(40)}`

/** A fault: parameter, value, rule and message. */
type Fault = readonly [string, string | null, string, string]
const textsOf = (faults: ReadonlyArray<InputFault>): ReadonlyArray<Fault> =>
  faults.map(({ message, parameter, rule, value }) => [parameter, value, rule, message])

/** Reads the query of a list below the path of its revision, such as `/v1/slots?limit=1`. */
const readUrl = (url: string, of = context, listItemsMax?: number) => {
  const [path = "", query = ""] = url.split("?")
  const at = path.lastIndexOf("/")
  const revision = revisionList.find((each) => each.path === (path.slice(0, at) || "/"))!
  const list = path.slice(at + 1) as ListName
  return queryReader(list, revision, of, revisionList, listItemsMax)(query)
}
const faultsOf = (url: string, of = context, listItemsMax?: number): ReadonlyArray<InputFault> => {
  const result = readUrl(url, of, listItemsMax)
  return Result.isFailure(result) ? result.failure : []
}

describe("a query string", () => {
  const queries: { readonly [url: string]: object } = {
    "/transactions": { filters: {} },
    "/transactions?&&": { filters: {} },
    "/transactions?tokenId=0&batchNum=4294967295&type=Exit&order=DESC&limit=2049&fromItem=4294967295":
      {
        filters: { tokenId: 0, batchNum: 4294967295, type: "Exit" },
        order: "DESC",
        limit: 2049,
        fromItem: 4294967295
      },
    "/tokens?name=a+b%2B%3D=c&ids=3,1,3&symbols=A,B": {
      filters: { name: "a b+==c", ids: [3, 1], symbols: ["A", "B"] }
    },
    "/exits?onlyPendingWithdraws=false": { filters: { onlyPendingWithdraws: false } },
    [`/slots?wonByEthereumAddress=${address}&maxSlotNum=3&minSlotNum=3`]: {
      filters: { wonByBidder: address, maxSlotNum: 3, minSlotNum: 3 }
    },
    [`/earlier/slots?wonByEthereumAddress=${address}&maxSlothNum=3`]: {
      filters: { wonByForger: address, maxSlotNum: 3 }
    },
    [`/v1/slots?wonByEthereumAddress=${address}&maxSlotNum=3`]: {
      filters: { bestBidder: address, maxSlotNum: 3 }
    }
  }
  for (const [url, query] of Object.entries(queries)) {
    it(`${url} is decoded into filters and a page`, () => {
      assert.deepStrictEqual(Result.getOrThrow(readUrl(url)), query)
    })
  }

  const invalid = (name: string, value: string, rule: string): Fault => [
    name,
    value,
    rule,
    `Parameter ${name} has the invalid value ${JSON.stringify(value)}: expected ${rule}`
  ]
  const empty = (name: string): Fault => [
    name,
    "",
    "a value",
    `Parameter ${name} is empty: set a value or leave it out`
  ]
  const unknown = (name: string, hint: string): Fault => [
    name,
    "1",
    "a known parameter",
    `Unknown parameter "${name.slice(0, 100)}": ${hint}`
  ]
  const undecodable = (text: string): Fault => [
    text,
    null,
    "percent-encoded UTF-8",
    `The query part "${text.slice(0, 100)}" is not percent-encoded UTF-8`
  ]
  const uint32 = "a decimal integer from 0 to 4294967295, without sign or leading zeros"
  const ofTokens = "the known ones are ids, symbols, name, fromItem, order, limit"
  const [longName, longPart] = [`limit${"x".repeat(190)}`, `${"%ff".repeat(40)}=1`]
  const refused: { readonly [url: string]: ReadonlyArray<Fault> } = {
    "/tokens?ids=1,,2": [
      invalid("ids", "1,,2", "token identifiers separated by commas, none of them empty")
    ],
    "/tokens?ids=1,x": [
      invalid("ids", "1,x", `token identifiers separated by commas, each ${uint32}; found "x"`)
    ],
    "/tokens?symbols=,": [
      invalid("symbols", ",", "token symbols separated by commas, none of them empty")
    ],
    "/tokens?name=": [empty("name")],
    "/tokens?name": [empty("name")],
    "/tokens?=1": [unknown("", ofTokens)],
    // each name is reported once, and with the nearest name
    "/tokens?nam=1&nam=2": [unknown("nam", "did you mean name?")],
    "/tokens?zzzzzzzz=1": [unknown("zzzzzzzz", ofTokens)],
    "/tokens?constructor=1": [unknown("constructor", ofTokens)],
    [`/coordinators?${longName}=1`]: [
      unknown(longName, "the known ones are fromItem, order, limit")
    ],
    "/slots?maxSlothNum=1": [
      unknown(
        "maxSlothNum",
        'it belongs to revision "earlier"; in revision "later" its name is maxSlotNum'
      )
    ],
    "/earlier/exits?onlyPendingWithdraws=1": [
      unknown("onlyPendingWithdraws", 'only revision "later" supports it')
    ],
    "/tokens?name=a&name=b&name=c&limit=1": [
      ["name", "b", "given once", "Parameter name occurs more than once: send it once"]
    ],
    "/tokens?name=%ff&name=%ff&%zz=1": [undecodable("name=%ff"), undecodable("%zz=1")],
    [`/tokens?${longPart}`]: [undecodable(longPart)],
    // a value that cannot be decoded counts as present
    "/bids?slotNum=%ff": [undecodable("slotNum=%ff")],
    "/bids?limit=%ff": [
      undecodable("limit=%ff"),
      [
        "slotNum",
        null,
        "at least one of slotNum, bidderAddr",
        "At least one of the parameters slotNum, bidderAddr is required"
      ]
    ],
    [`/exits?BJJ=%ff&zkEthereumAddress=zk:${address}`]: [
      undecodable("BJJ=%ff"),
      [
        "BJJ",
        "BJJ=%ff",
        "not together with zkEthereumAddress",
        "Parameters zkEthereumAddress and BJJ exclude each other: use one of them"
      ]
    ],
    "/slots?minSlotNum=4&maxSlotNum=3": [
      [
        "minSlotNum",
        "4",
        "at most maxSlotNum",
        "Parameter minSlotNum is 4, above maxSlotNum, which is 3"
      ]
    ]
  }
  for (const [url, faults] of Object.entries(refused)) {
    it(`${url.slice(0, 60)} is refused with each rule that it breaks`, () => {
      assert.deepStrictEqual(textsOf(faultsOf(url)), faults)
    })
  }

  it("has the nearest name as a value too, in the spelling of the network", () => {
    const nearest = (url: string, of = context) => faultsOf(url, of).map((each) => each.nearest)
    assert.deepStrictEqual(nearest("/tokens?nam=1&zzzzzzzz=1"), ["name", undefined])
    assert.deepStrictEqual(nearest("/slots?maxSlothNum=1"), ["maxSlotNum"])
    assert.deepStrictEqual(nearest("/accounts?zkEthereumAddress=1", hez), ["hezEthereumAddress"])
    assert.deepStrictEqual(
      Result.getOrThrow(readUrl(`/accounts?hezEthereumAddress=hez:${address}`, hez)),
      { filters: { address } }
    )
  })

  it("lists at most the allowed number of items", () => {
    const faultsOfItems = (items: string, most?: number) =>
      faultsOf(`/tokens?ids=${items}`, context, most)
    assert.deepStrictEqual(faultsOfItems("1,2", 2), [])
    assert.deepStrictEqual(faultsOfItems("1,1,x", 2), [{
      in: "query",
      parameter: "ids",
      value: "1,1,x",
      rule: "at most 2 items",
      message: "Parameter ids lists 3 items: expected at most 2 items; send several requests",
      limit: "listItemsMax"
    }])
    assert.deepStrictEqual(faultsOfItems(`${"1,".repeat(2048)}1`), [])
    assert.deepStrictEqual(faultsOfItems(`,${"1,".repeat(2048)}1`).map(({ rule }) => rule), [
      "at most 2049 items"
    ])
  })

  it("of an operation without parameters reports each name once", () => {
    const none = (name: string, value: string): Fault => [
      name,
      value,
      "no parameters",
      `Unknown parameter "${name.slice(0, 100)}": this operation takes none`
    ]
    const long = "a".repeat(190)
    assert.deepStrictEqual(noQuery("", strictRules), [])
    assert.deepStrictEqual(textsOf(noQuery(`a=1&a=2&b&%ff&%ff=1&c=%ff&${long}=1`, strictRules)), [
      none("a", "2"),
      none("b", ""),
      undecodable("%ff"),
      undecodable("%ff=1"),
      undecodable("c=%ff"),
      none(long, "1")
    ])
  })
})

describe("a path", () => {
  it("is decoded by its parameters, each percent-encoded", () => {
    const reader = pathReader([{ name: "batchNum", scalar: "batchNum", doc: "" }, {
      name: "zkEthereumAddress",
      scalar: "prefixedAddress",
      doc: ""
    }], hez)
    assert.deepStrictEqual(reader(["7", `hez%3A${address}`]), Result.succeed([7, address]))
    const faults = Result.match(reader(["%ff", `zk:${address}`]), {
      onFailure: (faults) => faults,
      onSuccess: () => []
    })
    assert.deepStrictEqual(faults.map((each) => [each.in, each.parameter, each.value]), [
      ["path", "batchNum", "%ff"],
      ["path", "hezEthereumAddress", `zk:${address}`]
    ])
    assert.strictEqual(
      faults[0]!.message,
      'Parameter batchNum has the invalid value "%ff": expected percent-encoded UTF-8'
    )
  })
})

describe("a violation", () => {
  it("repeats at most a part of a value", () => {
    const [fits, longer] = ["a".repeat(200), "a".repeat(201)]
    const [one, other] = [fits, longer].map((value) => invalidValue("query", "p", value, "r"))
    assert.deepStrictEqual([one!.value, other!.value], [fits, `${fits}…`])
    assert.strictEqual(jsonPointer("a~/b~1"), "/a~0~1b~01")
    assert.strictEqual(new BadInput({ faults: [one!] }).message, one!.message)
    assert.strictEqual(
      new BadInput({ faults: [one!, other!] }).message,
      `2 violations: ${one!.message}; ${other!.message}`
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
    Result.isSuccess(checked) ? [] : textsOf(checked.failure.faults)
  const faultsOfQuery = (list: ListName, query: unknown) =>
    faultsIn(checkListQuery(list, query as never))
  const faultsOfKey = (item: ItemName, key: unknown) => faultsIn(checkItemKey(item, key as never))
  const invalid = (name: string, value: string, rule: string): Fault => [
    name,
    value,
    rule,
    `${name} has the invalid value ${value}: expected ${rule}`
  ]
  const absent = (name: string, rule: string): Fault => [
    name,
    null,
    rule,
    `${name} is missing: expected ${rule}`
  ]
  const unknown = (name: string, hint: string): Fault => [
    name,
    "1",
    "a known name",
    `Unknown name ${name}: ${hint}`
  ]
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
      ["exits", { filters: { accountIndex: 256, tokenId: undefined } }],
      ["exits", { filters: { accountIndex: undefined, tokenId: 0 } }],
      ["slots", { filters: { minSlotNum: 3, maxSlotNum: 3, wonByForger: address } }]
    ]
    for (const [list, query] of right) {
      const checked = Result.getOrThrow(checkListQuery(list, query as never))
      assert.deepStrictEqual(checked, query as never)
      const { filters } = query as { readonly filters: object }
      assert.notStrictEqual(checked.filters, filters as never)
    }
    for (const query of [{}, { filters: undefined }]) {
      const checked = checkListQuery("accounts", query as never)
      assert.deepStrictEqual(checked, Result.succeed({ filters: {} }))
    }
  })

  const lower = "0x and 40 lower-case hexadecimal digits"
  const keyDigits = "64 lower-case hexadecimal digits"
  const notEmpty = "a text that is not empty"
  const wrongNumbers: ReadonlyArray<readonly [unknown, string]> = [
    [-1, "-1"],
    [4294967296, "4294967296"],
    [1.5, "1.5"],
    ["1", '"1"'],
    [null, "null"],
    [NaN, "NaN"],
    [5n, "5n"],
    [Object.create(null), "{}"],
    [Symbol("s"), "Symbol(s)"]
  ]
  const noObjects: ReadonlyArray<readonly [unknown, string]> = [
    [null, "null"],
    [1, "1"],
    ["x", '"x"']
  ]
  const refused: ReadonlyArray<readonly [ListName, unknown, ...ReadonlyArray<Fault>]> = [
    ...wrongNumbers.map(([batchNum, text]) =>
      ["exits", { filters: { batchNum } }, invalid("filters.batchNum", text, uint32)] as const
    ),
    ...noObjects.flatMap(([value, text]) =>
      [
        ["exits", value, invalid("query", text, queryObject)],
        [
          "tokens",
          { filters: value },
          invalid("filters", text, "an object of ids, symbols, name, addresses")
        ]
      ] as const
    ),
    ["exits", undefined, absent("query", queryObject)],
    ...[0, 2050].map((limit) =>
      ["exits", { limit }, invalid("limit", `${limit}`, "an integer from 1 to 2049")] as const
    ),
    [
      "exits",
      { order: "asc", fromItem: -1 },
      invalid("fromItem", "-1", uint32),
      invalid("order", '"asc"', "one of ASC, DESC")
    ],
    ...[address.toUpperCase(), `${address}a`, `x${address}`, address.slice(0, -1)].map((value) =>
      [
        "accounts",
        { filters: { address: value } },
        invalid("filters.address", JSON.stringify(value), lower)
      ] as const
    ),
    ["accounts", { filters: { address: 5 } }, invalid("filters.address", "5", lower)],
    ...["a".repeat(63), "A".repeat(64), `x${"a".repeat(64)}`].map((publicKey) =>
      [
        "accounts",
        { filters: { publicKey } },
        invalid("filters.publicKey", `"${publicKey}"`, keyDigits)
      ] as const
    ),
    [
      "accounts",
      { filters: { tokenIds: [1, -1, "x"] } },
      invalid("filters.tokenIds.1", "-1", uint32),
      invalid("filters.tokenIds.2", '"x"', uint32)
    ],
    [
      "accounts",
      { filters: { tokenIds: 1 } },
      invalid("filters.tokenIds", "1", `an array, each ${uint32}`)
    ],
    [
      "tokens",
      { filters: { name: "", symbols: [""] } },
      invalid("filters.symbols.0", '""', notEmpty),
      invalid("filters.name", '""', notEmpty)
    ],
    ["tokens", { filters: { name: 5 } }, invalid("filters.name", "5", notEmpty)],
    [
      "exits",
      { filters: { onlyPendingWithdraws: "true" } },
      invalid("filters.onlyPendingWithdraws", '"true"', "true or false")
    ],
    [
      "transactions",
      { filters: { accountIndex: 2 ** 48 } },
      invalid("filters.accountIndex", `${2 ** 48}`, `an integer from 0 to ${2 ** 48 - 1}`)
    ],
    [
      "tokens",
      { limits: 1, filters: { nam: 1 } },
      unknown("limits", "did you mean limit?"),
      unknown("filters.nam", "did you mean name?")
    ],
    [
      "tokens",
      { filters: { zzzzzzzz: 1 } },
      unknown("filters.zzzzzzzz", "the known ones are ids, symbols, name, addresses")
    ],
    [
      "exits",
      { filters: { accountIndex: -1, tokenId: 0 } },
      invalid("filters.accountIndex", "-1", `an integer from 0 to ${2 ** 48 - 1}`),
      [
        "filters.tokenId",
        "0",
        "not together with accountIndex",
        "Filters accountIndex and tokenId exclude each other: use one of them"
      ]
    ],
    [
      "slots",
      { filters: { minSlotNum: 4, maxSlotNum: 3 } },
      [
        "filters.minSlotNum",
        "4",
        "at most maxSlotNum",
        "Filter minSlotNum is 4, above maxSlotNum, which is 3"
      ]
    ],
    // a bound that is not a number is not compared
    [
      "slots",
      { filters: { minSlotNum: 4, maxSlotNum: "3" } },
      invalid("filters.maxSlotNum", '"3"', uint32)
    ],
    [
      "slots",
      { filters: { minSlotNum: "4", maxSlotNum: 3 } },
      invalid("filters.minSlotNum", '"4"', uint32)
    ]
  ]
  it("is refused with every invalid value, its path and its rule, for values of any type", () => {
    for (const [list, query, ...faults] of refused) {
      assert.deepStrictEqual(faultsOfQuery(list, query), faults)
    }
    assert.strictEqual(
      faultsOfQuery("transactions", { filters: { type: "x".repeat(300) } })[0]![1],
      `"${"x".repeat(199)}`
    )
  })

  it("contains no inherited properties, nor does it name such a list or item", () => {
    const lists = "accounts, exits, transactions, batches, slots, bids, tokens, coordinators"
    const items = "account, exit, transaction, batch, fullBatch, slot, token, coordinator"
    for (const name of ["constructor", "toString", "__proto__", "hasOwnProperty"]) {
      const query = JSON.parse(`{ "${name}": 1, "filters": { "${name}": 1 } }`)
      const rules = (faults: ReadonlyArray<Fault>) => faults.map(([path, , rule]) => [path, rule])
      assert.deepStrictEqual(rules(faultsOfQuery("tokens", query)), [
        [name, "a known name"],
        [`filters.${name}`, "a known name"]
      ])
      assert.deepStrictEqual(faultsOfQuery(name as ListName, {}), [
        invalid("list", `"${name}"`, `one of ${lists}`)
      ])
      assert.deepStrictEqual(faultsOfKey(name as ItemName, 1), [
        invalid("item", `"${name}"`, `one of ${items}`)
      ])
    }
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
      const checked = checkItemKey(item as ItemName, right as never)
      assert.deepStrictEqual(checked, Result.succeed(right as never))
      for (const other of others) {
        assert.lengthOf(faultsOfKey(item as ItemName, other), 1, `${item} ${String(other)}`)
      }
    }
    const exitKey = "an object of batchNum, accountIndex"
    assert.deepStrictEqual(faultsOfKey("exit", undefined), [absent("exit", exitKey)])
    assert.deepStrictEqual(faultsOfKey("exit", null), [invalid("exit", "null", exitKey)])
    assert.deepStrictEqual(faultsOfKey("exit", {}), [
      absent("batchNum", uint32),
      absent("accountIndex", "an integer from 0 to 281474976710655")
    ])
    assert.deepStrictEqual(faultsOfKey("batch", "x"), [invalid("batch", '"x"', uint32)])
  })
})
