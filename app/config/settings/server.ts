import type { ResolvedOptions } from "../setting.ts"
import { clientLimits, requestLimits } from "./limits.ts"
import { listening } from "./listening.ts"
import { log, monitoring } from "./monitoring.ts"
import { chain, network, pace } from "./network.ts"
import { caching, compression, currencies, memory, pool } from "./node.ts"
import { checkpoints, connections, database, replica, storage } from "./storage.ts"

/*
 * This folder declares each setting once. Flags, environment variables, the configuration file, the
 * help, the output of `config print` and the table of the README derive from these declarations.
 */

/** All settings of a server. */
export const serverSettings = {
  ...listening,
  ...storage,
  ...checkpoints,
  ...database,
  ...replica,
  ...connections,
  ...network,
  ...chain,
  ...pace,
  ...requestLimits,
  ...clientLimits,
  ...pool,
  ...currencies,
  ...memory,
  ...caching,
  ...compression,
  ...monitoring,
  ...log
}

/** The values of all settings of a server. */
export type ServeSettings = ResolvedOptions<typeof serverSettings>
