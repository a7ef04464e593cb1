import type { InputFault } from "./input_fault.ts"

/** An error as published clients read it: a number and its name. */
export interface PublishedError {
  readonly code: number
  readonly type: string
}

const errors = {
  ErrParamValidationFailed: 1,
  ErrDuplicatedKey: 2,
  ErrSQLTimeout: 3,
  ErrSQLNoRows: 4,
  ErrExitAmount0: 5,
  ErrInvalidTxTypeOrTxID: 6,
  ErrFeeOverflow: 7,
  ErrGettingSenderAccount: 8,
  ErrAccountTokenNotEqualTxToken: 9,
  ErrInvalidNonce: 10,
  ErrInvalidSignature: 11,
  ErrGettingReceiverAccount: 12,
  ErrNotAtomicTxsInPostPoolTx: 14,
  ErrTxsNotAtomic: 18,
  ErrSingleTxInAtomicEndpoint: 19,
  ErrRqOffsetOutOfBounds: 20,
  ErrInvalidAtomicGroupID: 21,
  ErrFailedToFindOffsetToRelativePosition: 22,
  ErrFeeTooLow: 23,
  ErrFeeTooBig: 24,
  ErrNothingToUpdate: 25
} as const
type ErrorType = keyof typeof errors

/** The names of all errors that `publishedError` returns. */
export const publishedErrorTypes: ReadonlyArray<string> = Object.keys(errors)

/** The error of each problem, by its name. Other problems have none. */
const errorOfProblem: { readonly [problem: string]: ErrorType } = {
  "invalid-input": "ErrParamValidationFailed",
  "conflict": "ErrDuplicatedKey",
  "not-found": "ErrSQLNoRows",
  "busy": "ErrSQLTimeout",
  "overloaded": "ErrSQLTimeout",
  "unavailable": "ErrSQLTimeout"
}

/** The error of a rule by its name. */
const errorOfRule: { readonly [R in NonNullable<InputFault["ruleName"]>]: ErrorType } = {
  feeTooLow: "ErrFeeTooLow",
  feeTooBig: "ErrFeeTooBig",
  accountOfToken: "ErrAccountTokenNotEqualTxToken",
  replacedSender: "ErrParamValidationFailed",
  replaceable: "ErrNothingToUpdate",
  requestWithoutGroup: "ErrNotAtomicTxsInPostPoolTx",
  notAtomic: "ErrTxsNotAtomic",
  singleTransaction: "ErrSingleTxInAtomicEndpoint",
  requestOffset: "ErrRqOffsetOutOfBounds",
  groupId: "ErrInvalidAtomicGroupID",
  requestOutsideGroup: "ErrFailedToFindOffsetToRelativePosition"
}

/** The error of any other rule about a property of a posted transaction, by its JSON pointer. */
const errorOfProperty: {
  readonly [pointer: string]: (fault: InputFault) => ErrorType
} = {
  "/amount": ({ value }) => value === "0" ? "ErrExitAmount0" : "ErrParamValidationFailed",
  "/id": () => "ErrInvalidTxTypeOrTxID",
  "/type": () => "ErrInvalidTxTypeOrTxID",
  "/fee": ({ value }) => value === "256" ? "ErrParamValidationFailed" : "ErrFeeOverflow",
  "/fromAccountIndex": () => "ErrGettingSenderAccount",
  "/tokenId": () => "ErrAccountTokenNotEqualTxToken",
  "/nonce": ({ value }) => Number(value) < 2 ** 40 ? "ErrInvalidNonce" : "ErrParamValidationFailed",
  "/signature": () => "ErrInvalidSignature",
  "/toAccountIndex": () => "ErrGettingReceiverAccount"
}

const errorOfFault = (fault: InputFault): ErrorType | undefined =>
  fault.ruleName === undefined
    ? errorOfProperty[fault.parameter.replace(/^\/transactions\/\d+(?=\/)/u, "")]?.(fault)
    : errorOfRule[fault.ruleName]

/**
 * Returns the error of a problem, or undefined if published clients know none.
 *
 * @param refused the faults of a readable post that breaks rules of the network, and otherwise those
 *   with a named rule
 */
export const publishedError = (
  problem: string,
  refused: ReadonlyArray<InputFault> | undefined
): PublishedError | undefined => {
  const [fault] = refused ?? []
  const type = (fault === undefined ? undefined : errorOfFault(fault)) ?? errorOfProblem[problem]
  return type === undefined ? undefined : { code: errors[type], type }
}
