export { sourceOf } from "./block_source.ts"
export { FeedFileError, feedFrom, type OpenFeed } from "./feed_file.ts"
export { recordsBehind } from "./resumed_feed.ts"
export { openStores, placeOf } from "./stores.ts"
