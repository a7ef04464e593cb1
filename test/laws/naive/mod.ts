export { lastBlock, lastOpenSlot } from "./_naive_auction.ts"
export {
  everyItem,
  matchesFilters,
  unknownReferences,
  naiveItem,
  naiveNetworkState,
  naivePage,
  valuesOf
} from "./naive_answers.ts"
export { naiveBlock, naiveRollBacks } from "./naive_history.ts"
export { advance, replay } from "./naive_model.ts"
export { naiveReader } from "./naive_reader.ts"
