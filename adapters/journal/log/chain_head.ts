import { crc32 } from "node:zlib"

/**
 * The last head of the chain in a journal, in the row that each commit updates. A new head replaces
 * it, so that any number of heads needs the space of one.
 */
export interface ChainHead {
  /** The record after which it was set; 0 if it was set before the first one. */
  readonly seq: number
  /** The version of the ledger after it. */
  readonly version: number
  /** Its line of the feed. */
  readonly text: string
}

/** Returns a head as text, with its checksum. */
export const writeChainHead = (head: ChainHead): string => {
  const json = JSON.stringify(head)
  return `${crc32(json)} ${json}`
}

/** Returns the head of a text; undefined if its checksum is wrong. */
export const readChainHead = (text: string): ChainHead | undefined => {
  const end = text.indexOf(" ")
  const json = text.slice(end + 1)
  return String(crc32(json)) === text.slice(0, end) ? JSON.parse(json) as ChainHead : undefined
}
