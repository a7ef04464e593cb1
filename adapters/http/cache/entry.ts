import type { Revision } from "../../../core/contract/mod.ts"
import type { NetworkConstants } from "../../../core/domain/mod.ts"
import type {
  Dependency,
  SnapshotId,
  LatestLedgerVersion,
  PartVersions,
  LatestPoolVersion
} from "../../../core/ports/mod.ts"
import type { Compressible, CompressionOptions } from "../compression/mod.ts"
import type { HeaderRecord, HttpAnswer, HttpRequest } from "../message/mod.ts"
import type { RevisionRoutes } from "../routes/mod.ts"

export interface ResponseCacheOptions {
  /** The latest version of the ledger; null if the store does not report versions. */
  readonly latestVersion: LatestLedgerVersion | null
  readonly latestPoolVersion: LatestPoolVersion | null
  readonly constants: NetworkConstants
  readonly revisions: ReadonlyArray<Revision>
  /** Maximum bytes of the cached answers; 0 disables the cache. */
  readonly bytesMax: number
  /**
   * Identifies program and configuration: everything that determines the text of an answer, besides
   * ledger, revision and URL.
   */
  readonly program: string
  /** Number of later batches after which a batch is final: too deep for a rollback. */
  readonly finalAfterBatches: number
  readonly compression: CompressionOptions
}

/** A GET or HEAD request for a resource. */
export interface ReadRequest {
  readonly request: HttpRequest
  readonly routes: RevisionRoutes
  /** The batch whose finality makes the answer immutable; null if there is none. */
  readonly batch: number | null
}

/** A snapshot that is known without a read; the versions of its parts may be unknown. */
export interface KnownSnapshot {
  readonly snapshotId: SnapshotId
  readonly parts: PartVersions | null
}

/** An answer with status 200, and what makes it current. */
export interface Entry extends Compressible {
  readonly key: string
  /** Bytes of the entry with the compressed bodies that are kept. */
  bytes: number
  /** Headers besides those of every answer. */
  readonly ownHeaders: HeaderRecord
  readonly etag: string
  readonly bodyBytes: number
  readonly dependsOn: ReadonlyArray<Dependency>
  /** The versions of `dependsOn` as text; null if the answer may change without the ledger. */
  readonly versions: string | null
  answer: HttpAnswer
  /** The snapshot that the headers name; null until the first hit. */
  current: KnownSnapshot | null
}
