export { type Cluster } from "./cluster.ts"
export {
  copiedDatabase,
  type FreshDatabase,
  freshDatabase,
  freshSchema,
  scopedDatabase
} from "./fresh_database.ts"
export { startOwnCluster as startCluster } from "./own_cluster.ts"
export { type Standby, startStandby } from "./standby.ts"
