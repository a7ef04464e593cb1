import type { ExitView, MerkleProof } from "../../domain/mod.ts"
import {
  accountReference,
  batchNum,
  bigInt,
  boolean,
  ethBlockNum,
  itemId,
  proofFunction
} from "../scalars/mod.ts"
import { field, reference, shape, volatileField } from "../shape.ts"
import { arrayOf, nullable } from "../wire_type.ts"
import { token } from "./token.ts"

const merkleProof = shape<MerkleProof>(
  "MerkleProof",
  "Proof that the leaf is in the exit tree of the batch",
  {
    root: field(bigInt, (p) => p.root, "Exit root of the batch"),
    siblings: field(
      arrayOf(bigInt),
      (p) => p.siblings,
      "From the root downwards, without trailing zeros"
    ),
    oldKey: field(bigInt, (p) => p.oldKey),
    oldValue: field(bigInt, (p) => p.oldValue),
    isOld0: field(boolean, (p) => p.isOld0),
    key: field(bigInt, (p) => p.key, "Account index as a number"),
    value: field(bigInt, (p) => p.value, "Hash of the leaf"),
    fnc: field(proofFunction, (p) => p.fnc, "0: the leaf is in the tree")
  }
)

const nullableBlock = nullable(ethBlockNum)

export const exit = shape<ExitView>("Exit", "Leaf of an exit tree, with its withdrawal data", {
  batchNum: field(batchNum, (v) => v.exit.batchNum),
  accountIndex: field(
    accountReference,
    (v) => ({ symbol: v.token.symbol, index: v.exit.accountIndex })
  ),
  itemId: field(itemId, (v) => v.exit.itemId),
  merkleProof: field(reference(merkleProof), (v) => v.exit.merkleProof),
  balance: field(bigInt, (v) => v.exit.balance, "Units that the account exits with"),
  instantWithdrawn: field(
    nullableBlock,
    (v) => v.exit.instantWithdrawn,
    "Ethereum block of the instant withdrawal"
  ),
  delayedWithdrawRequest: field(
    nullableBlock,
    (v) => v.exit.delayedWithdrawRequest,
    "Ethereum block in which the withdrawal went to the delayer"
  ),
  delayedWithdrawn: field(
    nullableBlock,
    (v) => v.exit.delayedWithdrawn,
    "Ethereum block in which the delayed withdrawal was collected"
  ),
  token: volatileField(field(reference(token), (v) => v.token))
}, (v) => [v.exit, v.token.symbol])
