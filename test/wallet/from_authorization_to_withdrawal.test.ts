import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { Effect, Result } from "effect"
import { type ChildProcess, spawn } from "node:child_process"
import { join } from "node:path"
import {
  derivePublicKey,
  ethereumAddress,
  keccak256,
  signAuthorization,
  verifyExitProof
} from "../../adapters/crypto/mod.ts"
import { defaultNetwork, simulate } from "../../app/simulator/mod.ts"
import { transfer } from "../../app/commands/transfer.ts"
import { bodyWriter, later, wireContext } from "../../core/contract/mod.ts"
import { parseAccountIndex } from "../../core/encoding/mod.ts"

/* A wallet and the running program, with only HTTP between them. */

const root = join(import.meta.dirname, "../..")
const network = defaultNetwork
const context = wireContext(network, keccak256)

let server: ChildProcess
let url: string

beforeAll(async () => {
  server = spawn(process.execPath, [
    join(root, "app/main.js"),
    "serve",
    "--memory",
    "--port",
    "0",
    "--pace",
    "0.4"
  ], { stdio: ["ignore", "pipe", "inherit"] })
  url = await new Promise((resolve, reject) => {
    let said = ""
    server.once("exit", () => reject(new Error(said)))
    server.stdout!.on("data", (text) => {
      said += text
      const listening = /Listening on (http:\/\/\S+:\d+)/u.exec(said)
      if (listening !== null) resolve(listening[1]!)
    })
  })
})

afterAll(() => void server.kill())

interface JsonResponse<A> {
  readonly status: number
  readonly json: A
}

async function requestJson<A>(path: string, body?: string): Promise<JsonResponse<A>> {
  const response = await fetch(
    url + path,
    body === undefined
      ? {}
      : { method: "POST", body, headers: { "content-type": "application/json" } }
  )
  const text = await response.text()
  return { status: response.status, json: (text === "" ? null : JSON.parse(text)) as A }
}

/**
 * Repeats a request until a condition holds: blocks take time, and a rollback may undo a result.
 */
async function until<A>(path: string, holds: (said: JsonResponse<A>) => boolean): Promise<A> {
  for (let attempts = 0; attempts < 900; attempts++) {
    const said = await requestJson<A>(path)
    if (holds(said)) return said.json
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  throw new Error(`${path} did not come to it`)
}

interface Row {
  readonly state: string
  readonly batchNum: number | null
}
interface WireExit {
  readonly balance: string
  readonly batchNum: number
  readonly instantWithdrawn: number | null
  readonly delayedWithdrawRequest: number | null
  readonly delayedWithdrawn: number | null
  readonly merkleProof: {
    readonly root: string
    readonly siblings: ReadonlyArray<string>
    readonly oldKey: string
    readonly oldValue: string
    readonly isOld0: boolean
    readonly key: string
    readonly value: string
    readonly fnc: number
  }
}

interface WireExits {
  readonly exits: ReadonlyArray<WireExit>
}
interface WireBatch {
  readonly ethereumBlockNum: number
  readonly exitRoot: string
}

/**
 * Returns an exit with its batch, both of the same fork: a rollback moves an exit into another
 * batch.
 */
async function exitOf(
  accountIndex: string,
  balance: string,
  holds: (exit: WireExit) => boolean
): Promise<{ readonly exit: WireExit; readonly batch: WireBatch }> {
  const found = ({ exits }: WireExits) =>
    exits.find((exit) => exit.balance === balance && holds(exit))
  for (let attempts = 0; attempts < 20; attempts++) {
    const exit = found(
      await until<WireExits>(
        `/exits?accountIndex=${accountIndex}`,
        ({ json, status }) => status === 200 && found(json) !== undefined
      )
    )!
    const { json: batch, status } = await requestJson<WireBatch>(`/batches/${exit.batchNum}`)
    if (status === 200 && batch.exitRoot === exit.merkleProof.root) return { exit, batch }
  }
  throw new Error(`The exit of ${balance} from ${accountIndex} has no batch of its root`)
}

describe("A wallet over HTTP", () => {
  it("authorizes an account, receives ether from the demo wallet, exits some of it with a proof that leads to the exit root, and withdraws it", async () => {
    const key = new Uint8Array(32).fill(77)
    const publicKey = derivePublicKey(key)
    const address = ethereumAddress(key)
    const authorization = {
      address,
      publicKey,
      signature: signAuthorization(key, publicKey, network)
    }
    const authorized = await requestJson(
      "/account-creation-authorization",
      bodyWriter(later.bodies.authorization, context)(authorization)
    )
    assert.strictEqual(authorized.status, 200, JSON.stringify(authorized.json))

    const simulation = simulate({ seed: "1" })
    while (simulation.demoAccounts().length === 0) simulation.next()
    const [{ index: accountIndex, symbol }] = simulation.demoAccounts() as [
      ReturnType<typeof simulation.demoAccounts>[0]
    ]
    const funding = await Effect.runPromise(transfer({
      url,
      network,
      privateKey: simulation.demoWallet.privateKey,
      accountIndex,
      symbol,
      amount: "2.5",
      to: context.address(address),
      nonce: undefined
    }))
    assert.strictEqual(funding.posted.type, "TransferToEthAddr")
    const states = new Set<string>()
    await until<Row>(
      `/transactions-pool/${funding.id}`,
      ({ json }) => states.add(json.state) && json.state === "fged"
    )
    assert.includeMembers([...states], ["fing", "fged"])
    await until(`/transactions-history/${funding.id}`, ({ status }) => status === 200)

    const { accounts: [account] } = await until<
      {
        readonly accounts: ReadonlyArray<
          { readonly accountIndex: string; readonly balance: string; readonly bjj: string }
        >
      }
    >(
      `/accounts?zkEthereumAddress=${context.address(address)}`,
      ({ json, status }) => status === 200 && json.accounts.length === 1
    )
    assert.strictEqual(account!.balance, "2500000000000000000")
    assert.strictEqual(account!.bjj, context.publicKey(publicKey))

    const index = Result.getOrThrow(parseAccountIndex(network.prefix, account!.accountIndex))
    const leaving = await Effect.runPromise(
      transfer({
        url,
        network,
        privateKey: key,
        accountIndex: index,
        symbol,
        amount: "1",
        to: "exit",
        nonce: undefined
      })
    )
    await until<Row>(`/transactions-pool/${leaving.id}`, ({ json }) => json.state === "fged")
    const { batch, exit } = await exitOf(account!.accountIndex, "1000000000000000000", () => true)
    const { merkleProof } = exit
    assert.isTrue(verifyExitProof({
      accountIndex: index,
      tokenId: 0,
      balance: BigInt(exit.balance),
      publicKey,
      address,
      merkleProof: {
        root: BigInt(merkleProof.root),
        siblings: merkleProof.siblings.map(BigInt),
        oldKey: BigInt(merkleProof.oldKey),
        oldValue: BigInt(merkleProof.oldValue),
        isOld0: merkleProof.isOld0,
        key: BigInt(merkleProof.key),
        value: BigInt(merkleProof.value),
        fnc: merkleProof.fnc as 0
      }
    }, BigInt(batch.exitRoot)))

    // above a thousand US dollars: the withdrawal is delayed by some blocks
    const { exit: delayed } = await exitOf(
      account!.accountIndex,
      "1000000000000000000",
      ({ delayedWithdrawn }) => delayedWithdrawn !== null
    )
    assert.isNull(delayed.instantWithdrawn)
    assert.isAbove(delayed.delayedWithdrawn!, delayed.delayedWithdrawRequest!)

    await Effect.runPromise(
      transfer({
        url,
        network,
        privateKey: key,
        accountIndex: index,
        symbol,
        amount: "0.1",
        to: "exit",
        nonce: undefined
      })
    )
    const { batch: { ethereumBlockNum }, exit: instant } = await exitOf(
      account!.accountIndex,
      "100000000000000000",
      ({ instantWithdrawn }) => instantWithdrawn !== null
    )
    assert.deepStrictEqual([instant.delayedWithdrawRequest, instant.delayedWithdrawn], [null, null])
    assert.isAbove(instant.instantWithdrawn!, ethereumBlockNum)
    await until<WireExits>(
      `/exits?accountIndex=${account!.accountIndex}&onlyPendingWithdraws=true`,
      ({ json, status }) => status === 200 && json.exits.length === 0
    )
  })

  it("shows its balances and the paths of its transactions", async () => {
    const walletOutput = await command("wallet")
    assert.match(walletOutput, /zk:ETH:\d+ {2}token 0, funded with 100000000000000000000 units/u)
    const sent = await command("wallet", "--send", "0.5", "--token", "GOV", "--url", url)
    const id = /^0x02[0-9a-f]{64}$/mu.exec(sent)![0]
    await until<Row>(`/transactions-pool/${id}`, ({ json }) => json.state === "fged")
  })
})

const command = (...words: ReadonlyArray<string>) =>
  new Promise<string>((resolve, reject) => {
    const child = spawn(process.execPath, [join(root, "app/main.js"), ...words], {
      stdio: ["ignore", "pipe", "inherit"]
    })
    let said = ""
    child.stdout.on("data", (text) => void (said += text))
    child.once("exit", (code) => code === 0 ? resolve(said) : reject(new Error(said)))
  })
