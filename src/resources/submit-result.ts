import { Type } from 'typebox'
import type { Static, TUnsafe } from 'typebox'
import { txHash } from './fields.ts'

export interface ContractError {
  readonly code: number
  readonly name: string
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
    resultXdr: Type.Optional(Type.String({ description: 'TransactionResult, base64 XDR. Only with FAILED.' })),
  },
  { $id: 'SubmitResult', description: 'Outcome of a submitted transaction.' },
)

export type SubmitResult = Static<typeof SubmitResult>
