/**
 * Freezes a row at every level, so that no reader of the store can change it, and returns it. A row
 * that is frozen at its first level is returned as it is.
 */
export const frozen = <T>(value: T): T => {
  if (typeof value !== "object" || value === null || Object.isFrozen(value)) return value
  for (const member of Object.values(value)) frozen(member)
  return Object.freeze(value)
}

/**
 * Returns a deep copy that is frozen at every level, so neither the caller nor a reader of the
 * store can change it. Copies plain objects and arrays.
 */
export const frozenCopy = <T>(value: T): T => {
  if (Array.isArray(value)) return Object.freeze(value.map(frozenCopy)) as T
  if (typeof value !== "object" || value === null) return value
  return Object.freeze(
    Object.fromEntries(Object.entries(value).map(([name, member]) => [name, frozenCopy(member)]))
  ) as T
}
