import { INTERNAL_ADDRESS } from "../../core/encoding/mod.ts"
import type { PostedAuthorization, PostedTransaction } from "../../core/domain/mod.ts"
import { Random } from "../memory/_random.ts"
import {
  ann,
  authorizationText,
  authorized,
  bob,
  cleo,
  context,
  signed,
  transactionText,
  wallet
} from "./_wallets.ts"

/*
 * Invalid bodies of every kind, from genuine ones to noise; the same seed gives the same sequence.
 */

/** Validly signed bodies: nothing else may ever be stored. */
export const genuineTransactions: ReadonlyArray<PostedTransaction> = [
  ...Array.from({ length: 12 }, (_, i) => signed(ann, { nonce: BigInt(i), fee: i })),
  ...Array.from(
    { length: 8 },
    (_, i) =>
      signed(bob, { fromAccountIndex: 257, type: "Exit", toAccountIndex: 1, nonce: BigInt(i) })
  ),
  ...Array.from(
    { length: 8 },
    (_, i) =>
      signed(ann, {
        tokenId: 1,
        fromAccountIndex: 258,
        type: "TransferToEthAddr",
        toAccountIndex: null,
        toAddress: bob.address,
        nonce: BigInt(i)
      })
  ),
  ...Array.from({ length: 8 }, (_, i) =>
    signed(cleo, {
      tokenId: 1,
      fromAccountIndex: 259,
      type: "TransferToBJJ",
      toAccountIndex: null,
      toAddress: INTERNAL_ADDRESS,
      toPublicKey: ann.publicKey,
      nonce: BigInt(i),
      request: {
        fromAccountIndex: 256,
        toAccountIndex: 257,
        toAddress: null,
        toPublicKey: null,
        tokenId: 0,
        amount: 5n,
        fee: 0,
        nonce: 0n
      }
    })),
  // the same id as one of the first
  signed(ann, { nonce: 3n, fee: 3, type: "Exit", toAccountIndex: 1 })
]
export const genuineAuthorizations: ReadonlyArray<PostedAuthorization> = [
  ...Array.from({ length: 20 }, (_, i) => authorized(wallet(100 + i))),
  authorized(wallet(100), ann.publicKey)
]
/** Signed by the wrong key, or with invalid content. */
const forgedTransactions = [
  signed(bob),
  signed(ann, { fromAccountIndex: 257 }),
  signed(ann, { fromAccountIndex: 12345 }),
  signed(ann, { tokenId: 1 }),
  signed(ann, { toAccountIndex: 4242 }),
  signed(ann, { toAccountIndex: 258 }),
  signed(ann, { type: "Exit", toAccountIndex: 1, amount: 0n }),
  { ...signed(ann), fee: 256 },
  { ...signed(ann), nonce: 2n ** 40n },
  signed(ann, { type: "TransferToBJJ", toAccountIndex: null, toPublicKey: bob.publicKey })
]
const forgedAuthorizations = [{ ...authorized(wallet(150)), address: wallet(151).address }, {
  ...authorized(wallet(152)),
  publicKey: bob.publicKey
}]

export interface Input {
  readonly path: string
  readonly headers: Record<string, string>
  readonly body: string | Uint8Array<ArrayBuffer>
  /** Every address or id in it could be stored. */
  readonly kind: "transaction" | "authorization"
  /**
   * Only insignificant changes: it must be accepted, unless different content is stored under its
   * id.
   */
  readonly harmless: boolean
  /** The transport refuses it, whatever its content. */
  readonly status?: 413 | 415
}

export const makeFuzz = (seed: number) => {
  const random = new Random(seed)
  const transactionTexts = genuineTransactions.map(transactionText)
  const authorizationTexts = genuineAuthorizations.map(authorizationText)
  const forged = {
    transaction: forgedTransactions.map(transactionText),
    authorization: forgedAuthorizations.map(authorizationText)
  }
  const genuine = { transaction: transactionTexts, authorization: authorizationTexts }

  return (): Input => {
    const kind = random.chance(0.7) ? "transaction" : "authorization"
    const { path, headers } = whereOf(kind, random)
    const fits = { path, headers, kind } as const
    const draw = random.next()
    if (draw < 0.06) return { ...fits, body: noise(random), harmless: false }
    if (draw < 0.10) return { ...fits, body: grammar(random, 4), harmless: false }
    if (draw < 0.11) {
      return {
        ...fits,
        body: random.of(genuine[kind]).padEnd(65537 + random.below(100), " "),
        harmless: false,
        status: 413
      }
    }
    if (draw < 0.13) {
      const wrong = random.of([
        "text/plain",
        "application/x-www-form-urlencoded",
        "application/json; charset=utf-16",
        "application/json5",
        "multipart/form-data; boundary=x"
      ])
      return {
        ...fits,
        headers: { ...headers, "content-type": wrong },
        body: random.of(genuine[kind]),
        harmless: false,
        status: 415
      }
    }
    if (draw < 0.15) {
      return {
        ...fits,
        path: `${path}?${random.of(["x=1", "%", "limit=1&limit=2", "id=%00"])}`,
        body: random.of(genuine[kind]),
        harmless: false
      }
    }
    if (draw < 0.20) return { ...fits, body: random.of(forged[kind]), harmless: false }
    const text = random.of(genuine[kind])
    if (draw < 0.35) return { ...fits, body: damaged(text, random), harmless: false }
    if (draw < 0.50) return { ...fits, body: rewritten(text, random), harmless: true }
    return {
      ...fits,
      body: mutated(text, random.of(genuine[random.chance(0.9) ? kind : "authorization"]), random),
      harmless: false
    }
  }
}

const whereOf = (kind: Input["kind"], random: Random): Pick<Input, "path" | "headers"> => {
  const path = kind === "transaction" ? "/transactions-pool" : "/account-creation-authorization"
  const headers = { "content-type": "application/json" }
  switch (random.below(3)) {
    case 0:
      return { path, headers }
    case 1:
      return { path: `/earlier${path}`, headers }
    default:
      return { path, headers: { ...headers, "api-revision": "earlier" } }
  }
}

const noise = (random: Random) =>
  Uint8Array.from({ length: random.below(200) }, () => random.below(256))

const atoms = [
  "null",
  "true",
  "0",
  "-1",
  "1e999",
  "18446744073709551616",
  '""',
  '"id"',
  '"\\ud800"',
  '"\u0000"',
  '"zk:ETH:256"',
  "[",
  "{",
  '"',
  "\\",
  "NaN",
  "\ufeff"
]
const grammar = (random: Random, depth: number): string => {
  const draw = random.below(depth === 0 ? 1 : 4)
  const items = () => Array.from({ length: random.below(5) }, () => grammar(random, depth - 1))
  if (draw < 2) return random.of(atoms)
  return draw === 2
    ? `[${items().join()}]`
    : `{${
      items().map((item) =>
        `${random.chance(0.9) ? JSON.stringify(random.of(names)) : item}:${item}`
      ).join()
    }}`
}

/** Changes, removes, repeats or cuts off bytes of a text. */
const damaged = (text: string, random: Random): Uint8Array<ArrayBuffer> => {
  let bytes: Uint8Array<ArrayBuffer> = new TextEncoder().encode(text)
  for (let i = random.below(3); i >= 0; i--) {
    const at = random.below(bytes.length)
    switch (random.below(5)) {
      case 0:
        bytes[at] = random.below(256)
        break
      case 1:
        bytes = Uint8Array.from([
          ...bytes.subarray(0, at),
          ...bytes.subarray(at + 1 + random.below(20))
        ])
        break
      case 2:
        bytes = Uint8Array.from([...bytes.subarray(0, at), ...bytes.subarray(random.below(at + 1))])
        break
      case 3:
        bytes = bytes.slice(0, at)
        break
      default:
        bytes[at] = bytes[at]! ^ (1 << random.below(8))
    }
    if (bytes.length === 0) break
  }
  return bytes
}

type Members = Array<[name: string, value: string]>
/**
 * Splits a body into names and values. The genuine texts contain no comma, colon or brace in a
 * string except the colons of identifiers.
 */
const membersOf = (text: string): Members =>
  text.slice(1, -1).split(",").map((
    member
  ) => [member.slice(0, member.indexOf(":")), member.slice(member.indexOf(":") + 1)])
const textOf = (members: Members, blank = "") =>
  `{${blank}${
    members.map(([name, value]) => `${name}${blank}:${blank}${value}`).join(`${blank},${blank}`)
  }${blank}}`

/** Returns the same body in another notation. */
const rewritten = (text: string, random: Random): string => {
  let members = membersOf(text)
  for (let i = random.below(4); i > 0; i--) {
    switch (random.below(6)) {
      case 0:
        members = members.map((member) => [random.next(), member] as const).sort(([a], [b]) =>
          a - b
        ).map(([, member]) => member)
        break
      case 1:
        members = members.filter(([, value]) => value !== "null")
        break
      case 2:
        members = members.map((
          [name, value]
        ) => [
          name,
          // any symbol for the exit, an escaped one for an account
          value.replace(
            /^"zk:([A-Z])([A-Z]+):(\d+)/u,
            (_, first: string, others: string, index: string) =>
              index === "1"
                ? `"zk:${random.of(["EXIT", "ETH", "ü", "\\u0041", " "])}:1`
                : `"zk:\\u00${first.charCodeAt(0).toString(16)}${others}:${index}`
          )
        ])
        break
      case 3:
        members = members.map((
          [name, value]
        ) => [
          name,
          name === '"signature"' || name === '"id"'
            ? value.replace(/[a-f]/gu, (digit) => digit.toUpperCase())
            : value
        ])
        break
      case 4:
        members = members.map((
          [name, value]
        ) => [
          name.includes("\\")
            ? name
            : name.replaceAll(
              /\w/gu,
              (c) => random.chance(0.1) ? `\\u${c.charCodeAt(0).toString(16).padStart(4, "0")}` : c
            ),
          value
        ])
        break
      default:
        members = members.map((
          [name, value]
        ) => [
          name,
          name.endsWith('EthereumAddress"')
            ? value.replace(/0x.*$/u, (address) => address.toLowerCase())
            : value
        ])
    }
  }
  return textOf(members, random.of(["", "", " ", "\n\t", " \r\n "]))
}

const names = [
  "id",
  "type",
  "tokenId",
  "fromAccountIndex",
  "toAccountIndex",
  "toZkEthereumAddress",
  "toBjj",
  "amount",
  "fee",
  "nonce",
  "signature",
  "requestFromAccountIndex",
  "requestToAccountIndex",
  "requestToZkEthereumAddress",
  "requestToBjj",
  "requestToBJJ",
  "requestTokenId",
  "requestAmount",
  "requestFee",
  "requestNonce",
  "zkEthereumAddress",
  "bjj",
  "maxNumBatch",
  "state",
  "timestamp",
  "__proto__",
  "constructor",
  "hezEthereumAddress",
  ""
]
const values = [
  "null",
  "true",
  "0",
  "1",
  "-0",
  "-1",
  "255",
  "256",
  "257",
  "1.5",
  "1e3",
  "1E400",
  "9007199254740993",
  "1099511627775",
  "1099511627776",
  "18446744073709551615",
  "18446744073709551616",
  "1.84467440737096e+19",
  `${"9".repeat(5000)}`,
  '""',
  '"0"',
  '"1"',
  '"01"',
  '"-1"',
  '"10000000000000000"',
  '"34359738369"',
  '"115792089237316195423570985008687907853269984665640564039457584007913129639936"',
  `"${"9".repeat(5000)}"`,
  '"zk:ETH:0"',
  '"zk:ETH:1"',
  '"zk:ETH:2"',
  '"zk:ETH:255"',
  '"zk:ETH:256"',
  '"zk:ETH:257"',
  '"zk:ETH:258"',
  '"zk:ETH:999999"',
  '"zk:ETH:281474976710655"',
  '"zk:ETH:281474976710656"',
  '"hez:ETH:256"',
  '"zk:1"',
  '"Transfer"',
  '"Exit"',
  '"TransferToBJJ"',
  '"TransferToEthAddr"',
  '"Deposit"',
  `"zk:0x${"0".repeat(40)}"`,
  `"zk:0x${"f".repeat(40)}"`,
  `"zk:0x${"F".repeat(40)}"`,
  `"${context.address(ann.address)}"`,
  `"${context.publicKey(bob.publicKey)}"`,
  `"${context.publicKey("0".repeat(64))}"`,
  `"${context.publicKey("f".repeat(64))}"`,
  `"${"0".repeat(128)}"`,
  `"${"f".repeat(128)}"`,
  `"0x${"0".repeat(130)}"`,
  `"0x${"f".repeat(128)}1b"`,
  `"0x02${"0".repeat(64)}"`,
  "{}",
  "[]",
  "[null]",
  '"\\u0000"',
  '"\\ud800"',
  '"💩"',
  '{"a":{"a":[1]}}'
]

/** Changes, exchanges, removes, repeats, renames or adds members. */
const mutated = (text: string, other: string, random: Random): string => {
  const members = membersOf(text)
  const others = membersOf(other)
  for (let i = random.below(3); i >= 0; i--) {
    const member = members[random.below(members.length)] ?? ['"id"', "1"]
    switch (random.below(8)) {
      case 0:
      case 1:
      case 2:
        member[1] = random.of(values)
        break
      case 3:
        member[1] = others.find(([name]) => name === member[0])?.[1] ?? random.of(values)
        break
      case 4:
        members.splice(random.below(members.length), 1)
        break
      case 5:
        members.push([member[0], random.chance(0.5) ? member[1] : random.of(values)])
        break
      case 6:
        members.push([JSON.stringify(random.of(names)), random.of(values)])
        break
      default:
        member[1] = flipped(member[1], random)
    }
  }
  return textOf(members)
}

/** Replaces one character of a value by another of its kind. */
const flipped = (value: string, random: Random): string => {
  const at = random.below(value.length)
  const character = value[at]!
  const like = /[0-9]/u.test(character)
    ? "0123456789"
    : /[a-f]/u.test(character)
    ? "0123456789abcdef"
    : character
  return value.slice(0, at) + like[random.below(like.length)]! + value.slice(at + 1)
}
