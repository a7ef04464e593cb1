/**
 * The order of the scalar field of BN254: that of the circuits, of hashes in trees, and of the
 * coordinates of the curve BabyJubJub.
 */
export const FIELD_ORDER =
  21888242871839275222246405745257275088548364400416034343698204186575808495617n

/**
 * Returns whether a value is an element of the scalar field: from 0 and below its order.
 *
 * @example
 * ```ts
 * import { FIELD_ORDER, isFieldElement } from "rollup-node-api"
 *
 * console.log(isFieldElement(FIELD_ORDER - 1n), isFieldElement(FIELD_ORDER)) // => true false
 * ```
 */
export const isFieldElement = (value: bigint): boolean => value >= 0n && value < FIELD_ORDER

/** The old leaf in every proof of inclusion: such a proof has none. */
export const inclusionOldLeaf = { oldKey: 0n, oldValue: 0n, isOld0: false } as const
