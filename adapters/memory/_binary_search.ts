/** The first index in [from, to) whose value is not below `value`; `to` where all are. */
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

/** The first index in [from, to) that `isBefore` refuses; it must accept a prefix. */
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
