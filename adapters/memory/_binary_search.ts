/**
 * Returns the first index in [from, to) whose value is at least `value`, or `to` if there is none.
 * The values must be ascending.
 */
export const lowerBound = (
  sorted: ReadonlyArray<number>,
  value: number,
  from = 0,
  to = sorted.length
): number => {
  let low = from
  let high = to
  while (low < high) {
    const middle = (low + high) >>> 1
    if (sorted[middle]! < value) low = middle + 1
    else high = middle
  }
  return low
}

/** As `lowerBound`. Faster if the index is near `from`: the steps from there double. */
export const lowerBoundNear = (
  sorted: ReadonlyArray<number>,
  value: number,
  from: number,
  to: number
): number => {
  let low = from
  let step = 1
  while (low + step < to && sorted[low + step]! < value) {
    low += step
    step *= 2
  }
  return lowerBound(sorted, value, low, Math.min(low + step + 1, to))
}

/**
 * Returns the first index in [from, to) for which `isBefore` is false, or `to` if there is none.
 * `isBefore` must be true for a prefix of the range and false for the rest.
 */
export const firstNot = (
  from: number,
  to: number,
  isBefore: (index: number) => boolean
): number => {
  let low = from
  let high = to
  while (low < high) {
    const middle = (low + high) >>> 1
    if (isBefore(middle)) low = middle + 1
    else high = middle
  }
  return low
}
