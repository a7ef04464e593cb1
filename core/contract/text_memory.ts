/**
 * A bound for all texts that are kept ready together. Texts are kept for two generations: the one that fills up now and
 * the one before it, so that what is asked for again survives and what is not goes.
 */
export class TextMemory {
  generation = 0
  private used = 0
  private readonly generationMax: number

  /** @param charactersMax bound for both generations; a character takes one byte, or two in a text that is not Latin-1 */
  constructor(charactersMax: number) {
    this.generationMax = charactersMax / 2
  }

  /** Counts a text in; starts a new generation when this one is full. */
  add(characters: number): void {
    this.used += characters
    if (this.used <= this.generationMax) return
    this.generation++
    this.used = 0
  }
}

/** What a text was written from: immutable values, so that the same values always give the same text. */
export type TextParts = readonly [object, object | undefined]

interface Kept {
  readonly second: object | undefined
  readonly text: string
}

/** Keeps the texts of one writer, found by the identity of the values they were written from. */
export const keepTexts = <V>(memory: TextMemory, partsOf: (view: V) => TextParts, write: (view: V) => string): (view: V) => string => {
  let generation = memory.generation
  let current = new Map<object, Kept>()
  let previous = new Map<object, Kept>()
  return (view) => {
    if (generation !== memory.generation) {
      previous = memory.generation === generation + 1 ? current : new Map()
      current = new Map()
      generation = memory.generation
    }
    const [first, second] = partsOf(view)
    const kept = current.get(first)
    if (kept !== undefined && kept.second === second) return kept.text
    const before = previous.get(first)
    const text = before !== undefined && before.second === second ? before.text : flat(write(view))
    current.set(first, { second, text })
    memory.add(text.length)
    return text
  }
}

/** Engines build long texts as trees of parts; comparing one as a number lays it out in one piece, once. */
const flat = (text: string): string => {
  Number(text)
  return text
}
