import { Type } from 'typebox'
import type { Static } from 'typebox'
import { address, amount, amountOrNull, seconds, txHash } from './fields.ts'

const id = Type.Integer({ description: 'Sequence number of the event in the log.', examples: [4217] })
const vaultId = Type.Integer({ description: 'Vault id.', examples: [0] })
const ledger = Type.Integer({ description: 'Ledger of the event.', examples: [1234567] })
const ts = seconds('Close time of that ledger, Unix seconds.')

/** Specification, "Vault trade row". */
export const VaultTrade = Type.Object(
  {
    id,
    vaultId,
    positionId: Type.String({ description: 'On-chain position id.', examples: ['42'] }),
    action: Type.Unsafe<'open' | 'close'>({
      type: 'string', enum: ['open', 'close'], description: 'open, or close for closes and liquidations.', examples: ['close'],
    }),
    leader: address('Leader who opened or closed the position.'),
    collateral: amount('Collateral in USDC, 7-decimal. 0 on closes.', '0'),
    ledger,
    ts,
    txHash: txHash('Transaction that opened or closed the position.'),
    pnl: amountOrNull('Realised profit or loss in USDC, 7-decimal. Null on opens and liquidations.', '2667828'),
  },
  { $id: 'VaultTrade', description: 'A position opened or closed by a vault.' },
)

export type VaultTrade = Static<typeof VaultTrade>

/** Specification, "Vault deposit / withdraw / fee-claim row". */
export const VaultFlow = Type.Object(
  {
    id,
    vaultId,
    principal: address('Depositor, or leader for fee claims.'),
    amount: amount('Amount in USDC, 7-decimal. For withdrawals, the amount paid out.', '1000000000'),
    shares: Type.Optional(Type.Unsafe<string>({
      type: 'string', description: 'Shares minted or burned, 7-decimal. Absent on fee claims.', examples: ['1000000000'],
    })),
    ledger,
    ts,
    txHash: txHash('Transaction of the deposit, withdrawal or claim.'),
  },
  { $id: 'VaultFlow', description: 'A deposit into a vault, a withdrawal or a fee claim.' },
)

export type VaultFlow = Static<typeof VaultFlow>
