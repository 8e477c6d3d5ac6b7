import { Type } from 'typebox'
import type { Static, TUnsafe } from 'typebox'
import { integerOrNull, textOrNull, txHash } from './fields.ts'

export interface ContractError {
  readonly code: number
  readonly name: string
}

/** An error of the host that runs the contracts. */
export interface HostErrorName {
  readonly type: string
  readonly code: string
}

export function hostErrorOrNull(description: string): TUnsafe<HostErrorName | null> {
  return Type.Unsafe<HostErrorName | null>({
    type: ['object', 'null'],
    properties: {
      type: { type: 'string', description: 'Type of the error, lower case.', examples: ['storage'] },
      code: { type: 'string', description: 'Code of the error, lower case.', examples: ['exceeded_limit'] },
    },
    required: ['type', 'code'],
    description,
  })
}

/** Specification, "On-chain error decoding". */
export function contractErrorOrNull(description: string): TUnsafe<ContractError | null> {
  return Type.Unsafe<ContractError | null>({
    type: ['object', 'null'],
    properties: {
      code: { type: 'integer', description: 'Error code of the contract. Match on this value.', examples: [22] },
      name: {
        type: 'string', description: 'Name of the error, or UnknownContractError if the code has no name.', examples: ['InsufficientCollateral'],
      },
    },
    required: ['code', 'name'],
    description,
  })
}

export const HOST_ERROR =
  'Error of the host instead of a contract, if known. storage or budget with exceeded_limit: the state has changed since the transaction was prepared. ' +
  'Prepare, sign and submit a new one.'
export const TX_RESULT_CODE = 'Name of the transaction result, if known.'

/** Nodes that report an outcome. `when` begins the description. */
export function confirmedBy(when: string): TUnsafe<number | null> {
  return integerOrNull({
    description: [
      `${when} Nodes that report this outcome. With 1 of several nodes it may still be corrected: the gateway goes on asking the others, and a false outcome`,
      'becomes another state. Null if the index alone has the transaction.',
    ].join(' '),
    examples: [2],
  })
}

/** Nodes that can report an outcome. */
export function confirmingNodes(when: string): TUnsafe<number | null> {
  return integerOrNull({ description: `${when} Nodes of the gateway when it determined the outcome. Null with confirmedBy.`, examples: [3] })
}

/** Specification, "Submit result". */
export const SubmitResult = Type.Object(
  {
    hash: txHash('Transaction hash.'),
    status: Type.Unsafe<'SUCCESS' | 'PENDING' | 'FAILED'>({
      type: 'string', enum: ['SUCCESS', 'PENDING', 'FAILED'],
      description: 'Outcome. PENDING: not final within pollTimeoutMs. Submit the same signedXdr again to keep waiting.',
    }),
    ledger: Type.Optional(Type.Integer({ description: 'Ledger that includes the transaction. Only with SUCCESS.', examples: [1_234_567] })),
    contractError: Type.Optional(contractErrorOrNull('Only with FAILED. Null if no contract raised the error. See resultXdr in that case.')),
    hostError: Type.Optional(hostErrorOrNull(`Only with FAILED. ${HOST_ERROR}`)),
    txResultCode: Type.Optional(textOrNull({ description: `Only with FAILED. ${TX_RESULT_CODE}`, examples: ['txFailed'] })),
    resultXdr: Type.Optional(Type.String({ description: 'TransactionResult, base64 XDR. Only with FAILED.' })),
    message: Type.Optional(
      Type.String({
        description: 'Only with FAILED. The cause, followed by the error as the host prints it.',
        examples: ['Transaction failed: trading or the vault is paused. Wait until it resumes. [Error(Contract, #4)]'],
      }),
    ),
    confirmedBy: Type.Optional(confirmedBy('Only with SUCCESS and FAILED.')),
    nodes: Type.Optional(confirmingNodes('Only with SUCCESS and FAILED.')),
    stored: Type.Optional(
      Type.Literal(false, {
        description: [
          'Only if the gateway could not store the submission. It was sent, but nothing continues it when this instance of the gateway stops: submit the same',
          'signedXdr again until the status is final.',
        ].join(' '),
      }),
    ),
  },
  { $id: 'SubmitResult', description: 'Outcome of a submitted transaction.' },
)

export type SubmitResult = Static<typeof SubmitResult>
