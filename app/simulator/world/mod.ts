export { Agenda } from "./agenda.ts"
export { depositAmount, roundAmount, shareOf } from "./amount.ts"
export { type Purse, Purses } from "./balances.ts"
export { digestOf, hashOf, stateRootOf } from "./chain.ts"
export type { Context } from "./context.ts"
export { defaultNetwork, type Settings, settingsOf, type SimulationOptions } from "./options.ts"
export { type DemoPerson, People, type Person } from "./people.ts"
export { Random } from "./random.ts"
export { Recording } from "./recording.ts"
export { ether, tokenCatalogue } from "./token_catalogue.ts"
export {
  accountOf,
  addAccount,
  batchStateOf,
  type BlockDraft,
  copyWorld,
  lastAccountIndex,
  type OpenExit,
  type OutsideExit,
  type PoolEntry,
  type World,
  worldOf
} from "./world.ts"
