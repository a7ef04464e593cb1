import type { Origins, Problem, ResolvedOptions, settings } from "../config/mod.ts"

/* Rules for combinations of settings: no setting is silently ignored because of another one. */

type ServerSettings = typeof settings.serverSettings

export const checkServer = (
  resolved: ResolvedOptions<ServerSettings>,
  origins: Origins<ServerSettings>
): ReadonlyArray<Problem> => [
  ...oneDataLocation(resolved, origins),
  ...replicaNeedsDatabase(resolved, origins),
  ...oneNetwork(resolved, origins),
  ...fees(resolved, origins),
  ...mounts(resolved, origins),
  ...sharedDatabase(resolved, origins),
  ...oneStdinReader(resolved, origins)
]

/** Requires a database. */
export const checkDatabase = (
  { database }: ResolvedOptions<typeof settings.database>,
  origins: Origins<typeof settings.database>
): ReadonlyArray<Problem> =>
  database === undefined && origins.database.kind === "default"
    ? [{
      source: "--database",
      message:
        "No database is named: give one with --database or DATABASE_URL, such as postgresql://user:password@localhost:5432/rollup"
    }]
    : []

/** Requires exactly one input to verify. */
export const checkVerified = (
  { data, feed }: ResolvedOptions<typeof settings.database> & {
    readonly data: string
    readonly feed: string | undefined
  },
  origins: Origins<typeof settings.database & Pick<typeof settings.storage, "data">>
): ReadonlyArray<Problem> => {
  const inputs = [
    ...feed === undefined ? [] : [{ source: "--feed", description: `the feed "${feed}" (--feed)` }],
    ...origins.data.kind === "default"
      ? []
      : [{
        source: origins.data.source,
        description: `the directory "${data}" (${origins.data.source})`
      }],
    ...origins.database.kind === "default"
      ? []
      : [{
        source: origins.database.source,
        description: `a database (${origins.database.source})`
      }]
  ]
  return inputs.length < 2 ? [] : [{
    source: sourcesOf(inputs),
    message: `One thing can be verified at a time, and more are given: ${
      inputs.map(({ description }) => description).join(", ")
    }; leave out all but one`
  }]
}

const oneDataLocation = (
  { data, memory }: ResolvedOptions<ServerSettings>,
  origins: Origins<ServerSettings>
): ReadonlyArray<Problem> => {
  const locations = [
    ...memory
      ? [{
        source: origins.memory.source,
        description: `${origins.memory.source}, which keeps nothing`
      }]
      : [],
    ...origins.data.kind === "default"
      ? []
      : [{
        source: origins.data.source,
        description: `the directory "${data}" (${origins.data.source})`
      }],
    ...origins.database.kind === "default"
      ? []
      : [{
        source: origins.database.source,
        description: `a database (${origins.database.source})`
      }]
  ]
  return locations.length < 2 ? [] : [{
    source: sourcesOf(locations),
    message: `Data can be kept in one place, and more are given: ${
      locations.map(({ description }) => description).join(", ")
    }; leave out all but one`
  }]
}

const replicaNeedsDatabase = (
  _: ResolvedOptions<ServerSettings>,
  { database, replica }: Origins<ServerSettings>
): ReadonlyArray<Problem> =>
  replica.kind === "default" || database.kind !== "default"
    ? []
    : [{
      source: replica.source,
      message:
        "A replica is given and no database: name the one that it copies with --database or DATABASE_URL"
    }]

const oneNetwork = (
  _: ResolvedOptions<ServerSettings>,
  { empty, feed, paceSeconds, prefix, seed, transactions }: Origins<ServerSettings>
): ReadonlyArray<Problem> => {
  const simulated = [seed, prefix, transactions, paceSeconds, empty].filter(({ kind }) =>
    kind !== "default"
  )
  return feed.kind === "default" || simulated.length === 0 ? [] : [{
    source: sourcesOf([feed, ...simulated]),
    message: `What ${
      simulated.map(({ source }) => source).join(" and ")
    } says is for the simulated network, and ${feed.source} brings a network of its own: leave out one or the other`
  }]
}

/** Also refuses `cores` on a machine with one core: validity does not depend on the machine. */
const sharedDatabase = (
  { workers }: ResolvedOptions<ServerSettings>,
  origins: Origins<ServerSettings>
): ReadonlyArray<Problem> =>
  workers === 1 || origins.database.kind !== "default" ? [] : [{
    source: origins.workers.source,
    message:
      `The value ${workers} needs PostgreSQL, since several processes share their data through a database: ` +
      "name one with --database or DATABASE_URL, or set 1"
  }]

/** Refuses several workers that would each read a part of standard input. */
const oneStdinReader = (
  { feed, workers }: ResolvedOptions<ServerSettings>,
  origins: Origins<ServerSettings>
): ReadonlyArray<Problem> =>
  feed !== "-" || workers === 1 ? [] : [{
    source: sourcesOf([origins.feed, origins.workers]),
    message:
      "Only one process can read the standard input: name a file, load the feed with ingest, or set 1 worker"
  }]

const fees = (
  { maxFeeUSD, minFeeUSD }: ResolvedOptions<ServerSettings>,
  origins: Origins<ServerSettings>
): ReadonlyArray<Problem> =>
  maxFeeUSD === undefined || minFeeUSD <= maxFeeUSD ? [] : [{
    source: sourcesOf([origins.minFeeUSD, origins.maxFeeUSD]),
    message:
      `The least fee, ${minFeeUSD} US dollars, is above the greatest one, ${maxFeeUSD}: no transaction could be posted; lower the one or raise the other`
  }]

const mounts = (
  { earlierPath, laterPath }: ResolvedOptions<ServerSettings>,
  origins: Origins<ServerSettings>
): ReadonlyArray<Problem> =>
  laterPath !== earlierPath ? [] : [{
    source: sourcesOf([origins.laterPath, origins.earlierPath]),
    message: laterPath === "off"
      ? "Both revisions are off and nothing would be served: give one of them a path"
      : `Both revisions are to be served at ${laterPath}: give each a path of its own`
  }]

const sourcesOf = (origins: ReadonlyArray<{ readonly source: string }>): string =>
  origins.map(({ source }) => source).join(" and ")
