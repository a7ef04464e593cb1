import { accountIndex, type AccountReference, accountReference } from "../scalars/mod.ts"
import type { Body } from "./body.ts"

/** The account indexes of a posted object with the symbols that the client wrote, by property. */
export type AccountReferences = { readonly [property: string]: AccountReference }

/** A posted object and its account indexes; the object itself has only their numbers. */
export interface WithReferences<T> {
  readonly posted: T
  readonly references: AccountReferences
}

/** Returns what a reader needs to read the account indexes of a body with their symbols. */
export const withReferences = <T>(
  { fields, notes, toDomain }: Body<T>
): Pick<Body<WithReferences<T>>, "fields" | "notes" | "toDomain"> => {
  const names = Object.keys(fields).filter((name) => fields[name]!.scalar === accountIndex)
  return {
    notes,
    fields: {
      ...fields,
      ...Object.fromEntries(
        names.map((name) => [name, { ...fields[name]!, scalar: accountReference }])
      )
    },
    toDomain: (read: { readonly [name: string]: unknown }) => {
      const references: { [property: string]: AccountReference } = {}
      const values = { ...read }
      for (const name of names) {
        const reference = read[name] as AccountReference | null
        if (reference === null) continue
        references[name] = reference
        values[name] = reference.index
      }
      return { posted: toDomain(values as never), references }
    }
  }
}
