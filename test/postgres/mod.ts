export { type Cluster, startCluster } from "./cluster.ts"
export { type FreshDatabase, freshDatabase, freshSchema } from "./fresh_database.ts"
