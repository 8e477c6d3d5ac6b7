import { Type } from 'typebox'
import type { Static, TUnsafe } from 'typebox'
import { txHash } from './fields.ts'

export interface ContractError {
  readonly code: number
  readonly name: string
}

/** An error that a contract raised (specification, "On-chain error decoding"), or null where none did. */
export function contractErrorOrNull(description: string): TUnsafe<ContractError | null> {
  return Type.Unsafe<ContractError | null>({
    type: ['object', 'null'],
    properties: {
      code: { type: 'integer', description: 'The contract\'s own code: match on this', examples: [22] },
      name: {
        type: 'string', description: 'Its name, by the contract that raised it; UnknownContractError where there is none', examples: ['InsufficientCollateral'],
      },
    },
    required: ['code', 'name'],
    description,
  })
}

/** Specification, "Submit result". */
export const SubmitResult = Type.Object(
  {
    hash: txHash('The transaction\'s hash'),
    status: Type.Unsafe<'SUCCESS' | 'PENDING' | 'FAILED'>({
      type: 'string', enum: ['SUCCESS', 'PENDING', 'FAILED'],
      description: 'PENDING when it was not final in time: submit the same signedXdr again to go on waiting',
    }),
    ledger: Type.Optional(Type.Integer({ description: 'The ledger that holds it; with SUCCESS', examples: [1_234_567] })),
    contractError: Type.Optional(contractErrorOrNull('With FAILED; null when no contract raised the error: look at resultXdr then')),
    resultXdr: Type.Optional(Type.String({ description: 'TransactionResult, base64; with FAILED' })),
  },
  { $id: 'SubmitResult', description: 'What became of a submitted transaction' },
)

export type SubmitResult = Static<typeof SubmitResult>
