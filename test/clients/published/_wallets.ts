import { Result } from "effect"
import { createHash } from "node:crypto"
import { signAuthorization, signTransaction } from "../../../adapters/crypto/mod.ts"
import { keccak256 } from "../../../adapters/hashing/mod.ts"
import { type Wallet, walletFromEthereumKey } from "../../../adapters/wallet/mod.ts"
import { bodyReader, v1, wireContext } from "../../../core/contract/mod.ts"
import { checksumAddress, formatPublicKey, l2TransactionId } from "../../../core/encoding/mod.ts"
import { assertShows, type Checks } from "./_checks.ts"
import type { LibraryWallet, LoadedLibrary, Transfer } from "./_library.ts"

/* Compares keys, ids and signatures of the library with those of this package. */

const network = {
  prefix: "hez",
  name: "Hermez Network",
  chainId: 1337,
  rollupAddress: "0x10465b16615ae36f350268eb951d7b0187141d3b"
}
const readTransaction = bodyReader(v1.bodies.transaction, wireContext(network, keccak256))

/** Compares `count` wallets of a seed, and what each signs. */
export const checkWallets = async (
  { library }: LoadedLibrary,
  { count, ethereumUrl, seed }: {
    readonly count: number
    readonly ethereumUrl: string
    readonly seed: string
  },
  checks: Checks
): Promise<void> => {
  library.Providers.setProvider(ethereumUrl)
  library.Environment.setEnvironment({ baseApiUrl: "http://localhost" })
  const pairs: Array<
    { readonly theirs: LibraryWallet; readonly ours: Wallet; readonly key: string }
  > = []
  const fact = `${count} random wallets, seed ${seed}`

  await checks.run("createWalletFromEtherAccount", fact, async () => {
    for (let i = 0; i < count; i++) {
      const key = `0x${digest(`${seed}/${i}`).toString("hex")}`
      const { hermezWallet: theirs } = await library.HermezWallet.createWalletFromEtherAccount(
        ethereumUrl,
        { type: "WALLET", privateKey: key }
      )
      const ours = walletFromEthereumKey(key, network)
      pairs.push({ theirs, ours, key })
      assertShows(theirs, {
        publicKeyBase64: formatPublicKey(network.prefix, ours.publicKey),
        hermezEthereumAddress: `hez:${checksumAddress(ours.address, keccak256)}`,
        privateKey: Buffer.from(ours.privateKey)
      })
    }
  })
  await checks.run("signCreateAccountAuthorization", fact, async () => {
    for (const { key, ours, theirs } of pairs) {
      const signature = await theirs.signCreateAccountAuthorization(ethereumUrl, {
        type: "WALLET",
        privateKey: key
      })
      assertShows(signature, signAuthorization(ours.ethereumKey!, ours.publicKey, network))
    }
    assertShows(pairs.length, count)
  })
  await checks.run("signTransaction", fact, async () => {
    for (const [i, { ours, theirs }] of pairs.entries()) {
      const transfer = randomTransfer(library, `${seed}/${i}`, pairs[(i + 1) % count]!.theirs)
      const { encodedTransaction, transaction } = await library.TxUtils.generateL2Transaction(
        transfer,
        theirs.publicKeyCompressedHex,
        { id: i, symbol: "TOK", decimals: 18 }
      )
      const posted = theirs.signTransaction(transaction, encodedTransaction)
      const read = Result.getOrThrow(readTransaction(JSON.stringify(posted)))
      assertShows(posted, {
        id: Result.getOrThrow(l2TransactionId(read, keccak256)),
        signature: signTransaction(ours.privateKey, read, network.chainId)
      })
    }
    assertShows(pairs.length, count)
  })
}

const digest = (text: string) => createHash("sha256").update(text).digest()

/** Returns a transfer of one of the four types, whose fields are random. */
const randomTransfer = (
  { HermezCompressedAmount }: LoadedLibrary["library"],
  seed: string,
  receiver: LibraryWallet
): Transfer => {
  const random = digest(`${seed}/transfer`)
  const destinations: ReadonlyArray<Pick<Transfer, "to" | "type">> = [
    { to: `hez:TOK:${256 + random.readUIntBE(0, 3)}` },
    { to: receiver.hermezEthereumAddress },
    { to: receiver.publicKeyBase64 },
    { type: "Exit" }
  ]
  const units = BigInt(1 + random.readUInt32BE(4)) * 10n ** BigInt(random[8]! % 10)
  return {
    ...destinations[random[9]! % 4],
    from: `hez:TOK:${256 + random.readUInt32BE(10)}`,
    amount: HermezCompressedAmount.compressAmount(String(units)),
    fee: Number(units) / 1e18 * (random[14]! / 256),
    nonce: random.readUIntBE(15, 5)
  }
}
