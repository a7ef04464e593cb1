/** A copy that neither its giver nor a reader can change. Plain objects and arrays are copied all the way down. */
export const frozenCopy = <T>(value: T): T => {
  if (Array.isArray(value)) return Object.freeze(value.map(frozenCopy)) as T
  if (typeof value !== "object" || value === null) return value
  return Object.freeze(
    Object.fromEntries(Object.entries(value).map(([name, member]) => [name, frozenCopy(member)]))
  ) as T
}
