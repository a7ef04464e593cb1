/** An answer that was given, and the tag under which the server knows it. */
export interface Remembered {
  readonly etag: string
  readonly value: unknown
  readonly characters: number
}

/** The answers that were given last, within a bound; what was not used for longest goes first. */
export class Memory {
  private readonly known = new Map<string, Remembered>()
  private characters = 0
  private readonly charactersMax: number

  constructor(charactersMax: number) {
    this.charactersMax = charactersMax
  }

  find(url: string): Remembered | undefined {
    const found = this.known.get(url)
    if (found !== undefined) {
      this.known.delete(url)
      this.known.set(url, found)
    }
    return found
  }

  add(url: string, answer: Remembered): void {
    this.characters -= this.known.get(url)?.characters ?? 0
    this.known.delete(url)
    if (answer.characters > this.charactersMax) return
    this.known.set(url, answer)
    this.characters += answer.characters
    for (const [oldest, { characters }] of this.known) {
      if (this.characters <= this.charactersMax) break
      this.known.delete(oldest)
      this.characters -= characters
    }
  }
}
