export { type L2Source, makeBlock } from "./block.ts"
export { genesisOf } from "./genesis.ts"
export { buildStateTree } from "./state_tree.ts"
export { openExitsMax } from "./withdrawals.ts"
