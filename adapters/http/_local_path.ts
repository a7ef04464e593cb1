import type { Operation, WireContext } from "../../core/contract/mod.ts"

/** The path of an operation, with its parameters as this network spells them: `/accounts/{accountIndex}`. */
export const localPath = ({ path }: Pick<Operation, "path">, { name }: WireContext): string =>
  path.replaceAll(/\{(\w+)\}/gu, (_, parameter: string) => `{${name(parameter)}}`)
