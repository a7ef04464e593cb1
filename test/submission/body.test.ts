import { assert, describe, it } from "@effect/vitest"
import { Arbitrary, Result, Schema } from "effect"
import { keccak256 } from "../../adapters/crypto/mod.ts"
import {
  type BodyName,
  bodyReader,
  bodyWriter,
  revisionList,
  wireContext
} from "../../core/contract/mod.ts"
import { genesis } from "../use_cases/_network.ts"
import {
  authorization,
  faultsOf,
  json,
  type Members,
  pointersOf,
  type Raw,
  readAuthorization,
  readTransaction,
  textOf,
  toKey,
  transfer
} from "./_bodies.ts"

const key = toKey.toBjj as string
const uint64Max = "18446744073709551615"
const valueOf = (members: Members) => Result.getOrThrow(readTransaction(textOf(members)))

describe("a posted transaction", () => {
  it("is decoded into values of the domain", () => {
    assert.deepStrictEqual(valueOf(transfer), {
      id: transfer.id as string,
      type: "Transfer",
      tokenId: 0,
      fromAccountIndex: 256,
      toAccountIndex: 257,
      toAddress: null,
      toPublicKey: null,
      amount: 10n ** 16n,
      fee: 20,
      nonce: 121n,
      signature: transfer.signature as string,
      request: null
    })
    assert.deepInclude(valueOf(toKey), { toAccountIndex: null, toAddress: `0x${"f".repeat(40)}` })
  })

  it("is the same with optional members left out or null, in another order and with upper-case digits", () => {
    const { toZkEthereumAddress: _, toBjj: __, ...rest } = transfer
    const upper = (text: Raw, start: number) =>
      `${(text as string).slice(0, start)}${(text as string).slice(start).toUpperCase()}`
    const { id, signature } = transfer
    for (
      const same of [
        rest,
        Object.fromEntries(Object.entries(transfer).reverse()),
        { ...transfer, toBjj: null },
        { ...transfer, requestFee: null },
        { ...transfer, id: upper(id, 2), signature: upper(signature, 0) },
        { ...transfer, toAccountIndex: "zk:anything at all:257" }
      ]
    ) assert.deepStrictEqual(valueOf(same), valueOf(transfer))
    assert.deepStrictEqual(
      Result.getOrThrow(
        readTransaction(` \n\t\r{ "id" : ${textOf(transfer).slice('{"id":'.length, -1)} } \r\n`)
      ),
      valueOf(transfer)
    )
  })

  it("keeps every digit of every integer", () => {
    for (
      const digits of ["0", "9007199254740993", "1099511627776", "18446744073709551614", uint64Max]
    ) {
      assert.strictEqual(valueOf({ ...transfer, nonce: json(digits) }).nonce, BigInt(digits))
    }
    assert.strictEqual(
      valueOf({ ...transfer, nonce: json("1.84467440737096e+19") }).nonce,
      2n ** 64n - 1n
    )
    assert.strictEqual(
      valueOf({ ...transfer, amount: String(2n ** 256n - 1n) }).amount,
      2n ** 256n - 1n
    )
    for (const fee of [0, 255, 256]) assert.strictEqual(valueOf({ ...transfer, fee }).fee, fee)
    assert.strictEqual(valueOf({ ...transfer, tokenId: 4294967295 }).tokenId, 4294967295)
    assert.strictEqual(
      valueOf({ ...transfer, fromAccountIndex: "zk:ETH:281474976710655" }).fromAccountIndex,
      2 ** 48 - 1
    )
  })

  /** JSON texts by member. */
  const wrong: { readonly [name: string]: string } = {
    id: `"" | "0x" | "0x0222" | "0x03${"0".repeat(64)}" | "0x02${"g".repeat(64)}" | ` +
      `"${"02".repeat(33)}" | 5 | null | [] | true`,
    type: `"" | "transfer" | "Deposit" | "ForceExit" | 0 | null | {}`,
    tokenId: `-1 | 4294967296 | 1.5 | "0" | null | 1e3 | 1.0 | -0 | 99999999999999999999`,
    fromAccountIndex: `"" | "256" | "zk:256" | "zk:ETH:" | "zk:ETH:0256" | "zk:ETH:+1" | ` +
      `"zk:ETH:281474976710656" | "hez:ETH:256" | "ZK:ETH:256" | 256 | null`,
    toAccountIndex: `"" | "257" | "zk:ETH:-1" | "zk:ETH:1.0" | 257 | true | ["zk:ETH:257"]`,
    toZkEthereumAddress: `"" | "0x${"a".repeat(40)}" | "zk:0x${"a".repeat(39)}" | ` +
      `"zk:0x${"a".repeat(41)}" | "zk:0X${"a".repeat(40)}" | "zk:0x${"g".repeat(40)}" | 0`,
    toBjj: `"" | "${key.slice(3)}" | "${key.slice(0, -1)}0" | "${key}=" | ` +
      `"zk:${"A".repeat(43)}B" | 0`,
    amount: `"" | "-1" | "+1" | "01" | "1.0" | "1e18" | "0x1" | " 1" | "１" | "${2n ** 256n}" | ` +
      `"${"9".repeat(60_000)}" | 1 | null`,
    fee: `-1 | 257 | 1.5 | "20" | null | 2e1 | 20.0 | -0 | 1.84467440737096e+19`,
    nonce: `-1 | 18446744073709551616 | "0" | null | 1e3 | 0.0 | 1.84467440737096e+20`,
    signature: `"" | "${"0".repeat(127)}" | "${"0".repeat(129)}" | "${"g".repeat(128)}" | ` +
      `"0x${"0".repeat(126)}" | 0 | null`
  }
  for (const [name, values] of Object.entries(wrong)) {
    it(`with a wrong ${name} is refused at /${name}, and with the value and the rule`, () => {
      for (const value of values.split(" | ")) {
        const faults = faultsOf("transaction", textOf({ ...transfer, [name]: json(value) }))
        assert.deepStrictEqual(faults.map((fault) => fault.parameter), [`/${name}`], value)
        assert.isNotEmpty(faults[0]!.rule)
        assert.isAtMost(faults[0]!.value!.length, 201)
        assert.match(faults[0]!.message, /^[A-Z].*[^.]$/su)
      }
    })
  }

  it("without required members is refused with each missing one", () => {
    assert.deepStrictEqual(pointersOf("transaction", {}), [
      "/id",
      "/type",
      "/tokenId",
      "/fromAccountIndex",
      "/amount",
      "/fee",
      "/nonce",
      "/signature"
    ])
    assert.isTrue(faultsOf("transaction", "{}").every(({ value }) => value === null))
  })

  it("with several violations is refused with each", () => {
    const members = {
      ...transfer,
      fee: 257,
      toAcountIndex: null,
      nonce: -1,
      signature: undefined,
      requestFee: 300,
      amount: "x"
    }
    assert.sameMembers([...pointersOf("transaction", members)], [
      "/fee",
      "/toAcountIndex",
      "/nonce",
      "/signature",
      "/amount",
      "/requestFee"
    ])
  })

  it("may require another transaction, whose members are decoded in the same way", () => {
    const request = {
      requestFromAccountIndex: "zk:ETH:258",
      requestToAccountIndex: "zk:ETH:1",
      requestTokenId: 3,
      requestAmount: "7",
      requestFee: 0,
      requestNonce: json(uint64Max)
    }
    assert.deepStrictEqual(valueOf({ ...transfer, ...request }).request, {
      fromAccountIndex: 258,
      toAccountIndex: 1,
      toAddress: null,
      toPublicKey: null,
      tokenId: 3,
      amount: 7n,
      fee: 0,
      nonce: 2n ** 64n - 1n
    })
    const wrong = {
      requestFromAccountIndex: "258",
      requestToAccountIndex: 1,
      requestToZkEthereumAddress: "",
      requestToBjj: "zk:",
      requestTokenId: -1,
      requestAmount: 7,
      requestFee: 257,
      requestNonce: "1"
    }
    assert.deepStrictEqual(
      pointersOf("transaction", { ...transfer, ...wrong }),
      Object.keys(wrong).map((name) => `/${name}`)
    )
  })
})

describe("a posted authorization", () => {
  it("is decoded into values of the domain", () => {
    const { address, publicKey, signature } = Result.getOrThrow(
      readAuthorization(textOf(authorization))
    )
    assert.strictEqual(`zk:${address}`, (authorization.zkEthereumAddress as string).toLowerCase())
    assert.match(publicKey, /^[0-9a-f]{64}$/u)
    assert.strictEqual(signature, authorization.signature)
  })

  it("with invalid values is refused at each of them", () => {
    const wrong: Members = {
      zkEthereumAddress: `zk:0x${"1".repeat(39)}`,
      bjj: "zk:AAAA",
      signature: "0".repeat(130)
    }
    assert.deepStrictEqual(pointersOf("authorization", wrong), [
      "/zkEthereumAddress",
      "/bjj",
      "/signature"
    ])
    assert.deepStrictEqual(pointersOf("authorization", {}), [
      "/zkEthereumAddress",
      "/bjj",
      "/signature"
    ])
    assert.deepStrictEqual(
      pointersOf("authorization", { ...authorization, timestamp: "2021-01-01T00:00:00Z" }),
      ["/timestamp"]
    )
  })
})

describe("every body", () => {
  const posted: ReadonlyArray<readonly [BodyName, Members]> = [["transaction", transfer], [
    "authorization",
    authorization
  ]]

  it("is closed: an unknown property is reported with the nearest known name", () => {
    const nearest = {
      requestToBJJ: "requestToBjj",
      toHezEthereumAddress: "toZkEthereumAddress",
      Amount: "amount",
      tokenID: "tokenId",
      "to/Bjj~": "toBjj"
    }
    for (const [name, known] of Object.entries(nearest)) {
      const [fault, ...others] = faultsOf("transaction", textOf({ ...transfer, [name]: null }))
      assert.deepStrictEqual(others, [])
      assert.strictEqual(fault!.nearest, known)
      assert.strictEqual(fault!.parameter, `/${name.replaceAll("~", "~0").replaceAll("/", "~1")}`)
    }
    for (const name of ["__proto__", "constructor", "toString", "", "x".repeat(10_000), "\ud800"]) {
      assert.strictEqual(
        faultsOf("transaction", textOf({ ...transfer, [name]: 1 })).length,
        1,
        name
      )
    }
  })

  it("explains properties of other dialects and of the node", () => {
    assert.match(
      faultsOf("transaction", textOf({ ...transfer, maxNumBatch: 0 }))[0]!.message,
      /^Unknown property "maxNumBatch": this revision does not support it/u
    )
    assert.match(
      faultsOf("transaction", textOf({ ...transfer, state: "pend" }))[0]!.message,
      /the node sets this property/u
    )
  })

  it("with many unknown properties is refused with the known ones", () => {
    const many = Object.fromEntries(
      Array.from({ length: 3000 }, (_, i) => [`toAccountIndx${i}`, i])
    )
    const faults = faultsOf("transaction", textOf({ ...transfer, ...many }))
    assert.strictEqual(faults.length, 65)
    assert.strictEqual(faults.at(-1)!.message, "2936 more properties are unknown")
  })

  it("contains a property once", () => {
    for (const [name, members] of posted) {
      const repeated = faultsOf(
        name,
        textOf(members).replace(/\}$/u, ',"signature":"x","signature":1,"\\u0073ignature":2}')
      )
      assert.deepStrictEqual(repeated.map(({ parameter, rule }) => [parameter, rule]), [[
        "/signature",
        "given once"
      ]])
    }
  })

  it("is JSON with nothing before or after it", () => {
    for (const [name, members] of posted) {
      const text = textOf(members)
      const malformed = [
        `${text},`,
        `${text}\u00a0`,
        `[${text}]`,
        text.slice(0, -1),
        text.slice(1),
        text.replace(",", ",,"),
        text.replaceAll('"', "'"),
        text.replace(':"', ':"\u0000'),
        text.replace(':"', ':"\\u12g4'),
        `/* */${text}`,
        "[".repeat(60_000),
        '{"a":'.repeat(10_000)
      ]
      for (const each of malformed) {
        const faults = faultsOf(name, each)
        assert.deepStrictEqual(faults.map(({ parameter }) => parameter), [""], each.slice(0, 80))
        assert.match(
          faults[0]!.message,
          /^The body is not the expected JSON: .* at character \d+, found /su
        )
      }
    }
  })

  it("refuses objects and arrays of any content in place of a value", () => {
    for (
      const nested of [
        "{}",
        "[]",
        "[[[]]]",
        '{"a":{"b":[1,"x",null,true,-1.5e-7]}}',
        `${"[".repeat(30)}${"]".repeat(30)}`
      ]
    ) {
      assert.deepStrictEqual(pointersOf("transaction", { ...transfer, amount: json(nested) }), [
        "/amount"
      ])
    }
  })

  it.prop("accepts the same JSON as the platform", {
    text: Arbitrary.array(
      Arbitrary.schema(Schema.Literals([
        "{",
        "}",
        "[",
        "]",
        ":",
        ",",
        '"a"',
        '"b\\n"',
        '"',
        "\\",
        "1",
        "-",
        "0",
        ".5",
        "e9",
        "true",
        "null",
        " ",
        "\n",
        "\u0007",
        "\u2028",
        "é"
      ])),
      { maxLength: 12 }
    )
  }, ({ text: parts }) => {
    const text = `{"k":${parts.join("")}}`
    const ours = faultsOf("transaction", text).every(({ parameter }) => parameter !== "")
    const theirs = Result.isSuccess(
      Result.try({ try: () => JSON.parse(text) as unknown, catch: String })
    )
    assert.strictEqual(ours, theirs, text)
  }, { arbitrary: { runs: 3000 } })

  it("is written and read back in every network and revision", () => {
    for (const revision of revisionList) {
      for (const prefix of ["zk", "hez"]) {
        const of = wireContext({ ...genesis.network, prefix }, keccak256)
        const read = bodyReader(revision.bodies.transaction, of)
        for (const value of [valueOf(transfer), valueOf(toKey)]) {
          for (
            const request of [null, {
              fromAccountIndex: 1,
              toAccountIndex: null,
              toAddress: `0x${"a".repeat(40)}`,
              toPublicKey: null,
              tokenId: 0,
              amount: 0n,
              fee: 0,
              nonce: 0n
            }]
          ) {
            const text = bodyWriter(revision.bodies.transaction, of, "ETH")({ ...value, request })
            assert.include(text, prefix === "hez" ? "toHezEthereumAddress" : "toZkEthereumAddress")
            const result = read(text)
            // v1 accepts a requested transaction only in a group
            if (revision.name === "v1" && request !== null) assert.isTrue(Result.isFailure(result))
            else assert.deepStrictEqual(Result.getOrThrow(result), { ...value, request })
          }
        }
      }
    }
  })
})
