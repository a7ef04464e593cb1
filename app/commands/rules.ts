import { availableParallelism } from "node:os"
import { revisionList, type RevisionName } from "../../core/mod.ts"
import {
  type Options,
  type Origin,
  type Origins,
  type Problem,
  type ResolvedOptions,
  settings
} from "../config/mod.ts"

/* Rules for combinations of settings: no setting is silently ignored because of another one. */

type ServerSettings = typeof settings.serverSettings

/** Returns the problems of options that contradict each other. */
type Rule<O extends Options = ServerSettings> = (
  resolved: ResolvedOptions<O>,
  origins: Origins<O>
) => ReadonlyArray<Problem>

/** Returns the problems of a server's settings. */
export const checkServer: Rule = (resolved, origins) =>
  [
    oneDataLocation,
    replicaNeedsDatabase,
    oneNetwork,
    fees,
    mounts,
    currenciesNeedV1,
    sharedDatabase,
    adminPorts,
    oneStdinReader
  ].flatMap((rule) => rule(resolved, origins))

/** Requires a database. */
export const checkDatabase: Rule<typeof settings.database> = ({ database }, origins) =>
  database === undefined && origins.database.kind === "default"
    ? problem(
      [{ source: "--database" }],
      "No database is set: set one with --database or DATABASE_URL, such as postgresql://user:password@localhost:5432/rollup"
    )
    : []

/** Refuses several inputs to verify; without any, the default data directory is verified. */
export const checkVerified = (
  { data, feed }: ResolvedOptions<typeof settings.database> & {
    readonly data: string
    readonly feed: string | undefined
  },
  origins: Origins<typeof settings.database & Pick<typeof settings.storage, "data">>
): ReadonlyArray<Problem> => {
  const inputs = [
    ...feed === undefined ? [] : [{ source: "--feed", description: `the feed "${feed}" (--feed)` }],
    ...storesSet(data, origins)
  ]
  return oneOf("Only one input can be verified at a time", inputs)
}

/** The place for the user to look at: that of an origin. */
interface Place {
  readonly source: string
}

interface DescribedPlace extends Place {
  readonly description: string
}

/** Returns the problem of settings that these places set. */
const problem = (places: ReadonlyArray<Place>, message: string): ReadonlyArray<Problem> => [
  { source: sourcesOf(places), message }
]

const sourcesOf = (places: ReadonlyArray<Place>): string =>
  places.map(({ source }) => source).join(" and ")

/** Refuses several places. */
const oneOf = (rule: string, places: ReadonlyArray<DescribedPlace>): ReadonlyArray<Problem> =>
  places.length < 2 ? [] : problem(
    places,
    `${rule}, and several are set: ${
      places.map(({ description }) => description).join(", ")
    }; leave out all but one`
  )

const isSet = ({ kind }: Origin): boolean => kind !== "default"

/** Returns the directory and the database, as far as they are set, with their descriptions. */
const storesSet = (
  directory: string,
  { data, database }: Pick<Origins<ServerSettings>, "data" | "database">
): ReadonlyArray<DescribedPlace> =>
  [
    { ...data, description: `the directory "${directory}" (${data.source})` },
    { ...database, description: `a database (${database.source})` }
  ].filter(isSet)

const oneDataLocation: Rule = ({ data, memory }, origins) => {
  const { source } = origins.memory
  const inMemory = { source, description: `${source}, which stores nothing` }
  return oneOf("Data can be stored in one location only", [
    ...memory ? [inMemory] : [],
    ...storesSet(data, origins)
  ])
}

const replicaNeedsDatabase: Rule = (_, { database, replica }) =>
  isSet(replica) && !isSet(database)
    ? problem(
      [replica],
      "A replica is set and no database: set the database that it replicates with --database or DATABASE_URL"
    )
    : []

const oneNetwork: Rule = ({ simulate }, origins) => {
  const { database, empty, feed, genesis, paceSeconds, publicUrl, transactionsMax } = origins
  const ofNetwork = { ...settings.network, ...settings.chain }
  const identity = Object.entries(origins).flatMap(([name, origin]) =>
    name in ofNetwork ? [origin] : []
  )
  const others = [feed, genesis].filter(isSet)
  const simulated = [
    ...simulate === true ? [origins.simulate] : [],
    ...[...identity, transactionsMax, paceSeconds, empty, publicUrl].filter(isSet)
  ]
  if (others.length === 2) {
    return problem(
      others,
      "A feed has a genesis record of its own: leave out the genesis to follow the feed, or the feed to start an empty ledger"
    )
  }
  if (others.length === 1 && simulated.length > 0) {
    return problem(
      [...others, ...simulated],
      `Only the simulated network uses ${sourcesOf(simulated)}, and ${
        sourcesOf(others)
      } names the ${
        isSet(feed) ? "feed" : "genesis"
      } of another network: leave out one or the other`
    )
  }
  if (others.length > 0 || simulate === true) return []
  const choices =
    "--simulate for a simulated network with test data, --feed FILE to follow a feed, or --genesis FILE to start an empty ledger of your own network"
  if (simulate === false) {
    return problem([origins.simulate], `No network is chosen: expected ${choices}`)
  }
  return isSet(database)
    ? problem(
      [database],
      `A database is set, and no network to store in it: choose ${choices}`
    )
    : []
}

/** Also refuses `cores` on a machine with one core: validity does not depend on the machine. */
const sharedDatabase: Rule = ({ workers }, origins) =>
  workers === 1 || isSet(origins.database) ? [] : problem(
    [origins.workers],
    `The value ${workers} requires PostgreSQL, since several processes share their data in a database: ` +
      "set one with --database or DATABASE_URL, or set 1"
  )

const adminPorts: Rule = ({ adminPort, workers }, origins) => {
  const last = Number(adminPort) + (workers === "cores" ? availableParallelism() : workers)
  return workers === 1 || !(last > 65_535) ? [] : problem(
    [origins.adminPort, origins.workers],
    `Each worker has an admin listener at a port after ${adminPort}, the last one at ${last}, expected at most 65535: choose a lower port`
  )
}

/** Refuses several workers that would each read a part of standard input. */
const oneStdinReader: Rule = ({ feed, workers }, origins) =>
  feed !== "-" || workers === 1 ? [] : problem(
    [origins.feed, origins.workers],
    "Only one process can read the standard input: name a file, load the feed with ingest, or set 1 worker"
  )

const fees: Rule = ({ maxFeeUSD, minFeeUSD }, origins) =>
  maxFeeUSD === undefined || minFeeUSD <= maxFeeUSD ? [] : problem(
    [origins.minFeeUSD, origins.maxFeeUSD],
    `The minimum fee, ${minFeeUSD} US dollars, is above the maximum fee, ${maxFeeUSD}: no transaction could be posted; lower the minimum or raise the maximum`
  )

const mounts: Rule = (resolved, origins) => {
  const paths = revisionList.map(({ name }) => `${name as RevisionName}Path` as const)
  // the path of a revision may be its default
  const placesOf = (names: typeof paths) => names.map((name) => origins[name]).filter(isSet)
  const enabled = paths.filter((name) => resolved[name] !== "off")
  if (enabled.length === 0) {
    return problem(
      placesOf(paths),
      "All revisions are off, so that nothing would be served: set a path for one of them"
    )
  }
  const byPath = Map.groupBy(enabled, (name) => resolved[name])
  return [...byPath].filter(([, names]) => names.length > 1).flatMap(([path, names]) =>
    problem(
      placesOf(names),
      `${names.length} revisions have the path ${path}: set another path for all but one of ${
        names.map((name) => `--${settings.serverSettings[name].flag}`).join(" and ")
      }`
    )
  )
}

const currenciesNeedV1: Rule = ({ currenciesFile, v1Path }, origins) =>
  currenciesFile === undefined || v1Path !== "off" ? [] : problem(
    [origins.currenciesFile, origins.v1Path],
    "Only revision v1 shows prices of currencies, and it is off: leave out the file, or set a path for v1"
  )
