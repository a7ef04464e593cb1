/** A received answer with its entity tag. */
export interface CachedAnswer {
  readonly etag: string
  readonly value: unknown
  readonly characters: number
}

/** The last answers up to a bound of characters; evicts the least recently used first. */
export class AnswerCache {
  private readonly answers = new Map<string, CachedAnswer>()
  private characters = 0
  private readonly charactersMax: number

  constructor(charactersMax: number) {
    this.charactersMax = charactersMax
  }

  find(url: string): CachedAnswer | undefined {
    const cached = this.answers.get(url)
    if (cached !== undefined) {
      this.answers.delete(url)
      this.answers.set(url, cached)
    }
    return cached
  }

  add(url: string, answer: CachedAnswer): void {
    this.characters -= this.answers.get(url)?.characters ?? 0
    this.answers.delete(url)
    if (answer.characters > this.charactersMax) return
    this.answers.set(url, answer)
    this.characters += answer.characters
    for (const [oldest, { characters }] of this.answers) {
      if (this.characters <= this.charactersMax) break
      this.answers.delete(oldest)
      this.characters -= characters
    }
  }
}
