import { assert, describe, it } from "@effect/vitest"
import { Arbitrary, Result, Schema } from "effect"
import { keccak256 } from "../../adapters/crypto/mod.ts"
import {
  bodyReader,
  bodyWriter,
  propertiesOf,
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
  const decoded = {
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
  } as const

  it("is decoded into values of the domain", () => {
    assert.deepStrictEqual(valueOf(transfer), decoded)
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
    ) assert.deepStrictEqual(valueOf(same), decoded)
  })

  it("keeps every digit of every integer", () => {
    const values: ReadonlyArray<readonly [member: keyof typeof decoded, Raw, value: unknown]> = [
      ...["0", "9007199254740993", "1099511627776", "18446744073709551614", uint64Max].map((
        digits
      ) => ["nonce", json(digits), BigInt(digits)] as const),
      ["nonce", json("1.84467440737096e+19"), 2n ** 64n - 1n],
      ["amount", String(2n ** 256n - 1n), 2n ** 256n - 1n],
      ...[0, 255, 256].map((fee) => ["fee", fee, fee] as const),
      ["tokenId", 4294967295, 4294967295],
      ["fromAccountIndex", "zk:ETH:281474976710655", 2 ** 48 - 1]
    ]
    for (const [member, raw, value] of values) {
      assert.deepStrictEqual(valueOf({ ...transfer, [member]: raw }), {
        ...decoded,
        [member]: value
      })
    }
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

  it("is refused with each violation, and with each required member that is missing", () => {
    const required = [
      "id",
      "type",
      "tokenId",
      "fromAccountIndex",
      "amount",
      "fee",
      "nonce",
      "signature"
    ]
    assert.deepStrictEqual(pointersOf("transaction", {}), required.map((name) => `/${name}`))
    assert.isTrue(faultsOf("transaction", "{}").every(({ value }) => value === null))
    const wrong = { fee: 257, toAcountIndex: null, nonce: -1, requestFee: 300, amount: "x" }
    assert.sameMembers(
      [...pointersOf("transaction", { ...transfer, ...wrong, signature: undefined })],
      ["/signature", ...Object.keys(wrong).map((name) => `/${name}`)]
    )
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

  it("is refused at each wrong, missing or unknown member", () => {
    const wrong: Members = {
      zkEthereumAddress: `zk:0x${"1".repeat(39)}`,
      bjj: "zk:AAAA",
      signature: "0".repeat(130)
    }
    const pointers = Object.keys(wrong).map((name) => `/${name}`)
    assert.deepStrictEqual(pointersOf("authorization", wrong), pointers)
    assert.deepStrictEqual(pointersOf("authorization", {}), pointers)
    const dated = { ...authorization, timestamp: "2021-01-01T00:00:00Z" }
    assert.deepStrictEqual(pointersOf("authorization", dated), ["/timestamp"])
  })
})

describe("every body", () => {
  it("has no property with another name, and names the nearest one", () => {
    const nearest = {
      requestToBJJ: "requestToBjj",
      toHezEthereumAddress: "toZkEthereumAddress",
      Amount: "amount",
      tokenID: "tokenId",
      "to/Bjj~": "toBjj"
    }
    for (const [name, known] of Object.entries(nearest)) {
      const [fault, ...others] = faultsOf("transaction", textOf({ ...transfer, [name]: 1 }))
      assert.deepStrictEqual(others, [])
      assert.strictEqual(fault!.nearest, known)
      const pointer = `/${name.replaceAll("~", "~0").replaceAll("/", "~1")}`
      assert.strictEqual(fault!.parameter, pointer)
    }
    for (const name of ["__proto__", "constructor", "toString", "", "x".repeat(10_000), "\ud800"]) {
      assert.lengthOf(faultsOf("transaction", textOf({ ...transfer, [name]: 1 })), 1, name)
    }
  })

  it("with many unknown properties is refused with the known ones", () => {
    const many = Object.fromEntries(
      Array.from({ length: 3000 }, (_, i) => [`toAccountIndx${i}`, i])
    )
    const faults = faultsOf("transaction", textOf({ ...transfer, ...many }))
    assert.strictEqual(faults.length, 65)
    assert.strictEqual(faults.at(-1)!.message, "2936 more properties are unknown")
  })

  const tokens = '{ } [ ] : , "a" "b\\n" " \\ 1 - 0 .5 e9 true null \u0007 \u2028 é'.split(" ")
  it.prop("accepts the same JSON as the platform", {
    parts: Arbitrary.array(
      Arbitrary.schema(Schema.Literals([...tokens, " ", "\n"])),
      { maxLength: 12 }
    )
  }, ({ parts }) => {
    const text = `{"k":${parts.join("")}}`
    const ours = faultsOf("transaction", text).every(({ parameter }) => parameter !== "")
    const theirs = Result.try(() => JSON.parse(text) as unknown)
    assert.strictEqual(ours, Result.isSuccess(theirs), text)
  }, { arbitrary: { runs: 3000 } })

  it("is written and read back in every network and revision", () => {
    const requested = {
      fromAccountIndex: 1,
      toAccountIndex: null,
      toAddress: `0x${"a".repeat(40)}`,
      toPublicKey: null,
      tokenId: 0,
      amount: 0n,
      fee: 0,
      nonce: 0n
    }
    for (const revision of revisionList) {
      // otherwise a transaction requires another one only in a group
      const acceptsRequests = propertiesOf(revision.bodies.transaction.schema.ast).every((
        { onlyNull }
      ) => onlyNull === undefined)
      for (const prefix of ["zk", "hez"]) {
        const of = wireContext({ ...genesis.network, prefix }, keccak256)
        const read = bodyReader(revision.bodies.transaction, of)
        for (const value of [valueOf(transfer), valueOf(toKey)]) {
          for (const request of [null, requested]) {
            const text = bodyWriter(revision.bodies.transaction, of, "ETH")({ ...value, request })
            assert.include(text, prefix === "hez" ? "toHezEthereumAddress" : "toZkEthereumAddress")
            const result = read(text)
            if (!acceptsRequests && request !== null) assert.isTrue(Result.isFailure(result))
            else assert.deepStrictEqual(Result.getOrThrow(result), { ...value, request })
          }
        }
      }
    }
  })
})
