export { lastOpenSlot } from "./_naive_auction.ts"
export {
  everyItem,
  isAskedFor,
  missingThings,
  naiveItem,
  naiveNetworkState,
  naivePage,
  valuesOf
} from "./naive_answers.ts"
export { advance, replay } from "./naive_model.ts"
export { naiveReader } from "./naive_reader.ts"
