export { EventSchedule } from "./event_schedule.ts"
export { depositAmount, floorAmount, randomShare, Random } from "./random.ts"
export { type Budget, Budgets } from "./budgets.ts"
export { digestOf, blockHashOf, placeholderRootOf } from "./digests.ts"
export type { Context } from "./context.ts"
export { chainOccurrences, liveOccurrences, type Occurrence, Occurrences } from "./occurrences.ts"
export {
  defaultNetwork,
  networkOptions,
  type NetworkSettings,
  type Settings,
  settingsOf,
  type SimulationOptions
} from "./options.ts"
export { type DemoWallet, Wallets, type Wallet } from "./wallets.ts"
export {
  ether,
  tokenCatalogue,
  accountOf,
  addAccount,
  auctionVariablesMax,
  batchStateOf,
  type BlockDraft,
  copyWorld,
  lastAccountIndex,
  type OpenExit,
  type ExternalExit,
  type SubmittedTransaction,
  type World,
  worldOf
} from "./world.ts"
