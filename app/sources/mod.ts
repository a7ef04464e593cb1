export { sourceOf } from "./block_source.ts"
export { FeedFileError, feedFrom, type OpenFeed } from "./feed_file.ts"
export { recordsAfter } from "./resumed_feed.ts"
export { dataLocationOf, openStores } from "./stores.ts"
