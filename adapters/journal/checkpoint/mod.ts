/** Checkpoints: the state of the stores beside the records that lead to it. */
export { type Manifest, partsOf } from "./manifest.ts"
export { readImages, type StoreImages } from "./reader.ts"
export { hasParts, Parts } from "./parts.ts"
export { checkpointHealth, type Checkpoints, scheduleCheckpoints } from "./schedule.ts"
export { CheckpointTable } from "./table.ts"
export type { CheckpointedJournal, CheckpointReport } from "./writer.ts"
