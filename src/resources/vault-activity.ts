import { Type } from 'typebox'
import type { Static } from 'typebox'
import { address, amount, amountOrNull, seconds, txHash } from './fields.ts'

const id = Type.Integer({ description: 'Position of its event in the log', examples: [4217] })
const vaultId = Type.Integer({ examples: [0] })
const ledger = Type.Integer({ description: 'Ledger of the event', examples: [1234567] })
const ts = seconds('Close time of that ledger, unix seconds')

/** Specification, "Vault trade row". */
export const VaultTrade = Type.Object(
  {
    id,
    vaultId,
    positionId: Type.String({ description: 'On-chain position id', examples: ['42'] }),
    action: Type.Unsafe<'open' | 'close'>({ type: 'string', enum: ['open', 'close'], description: 'However it came to a close', examples: ['close'] }),
    leader: address('Who opened it; who closed it, where a leader did'),
    collateral: amount('What was put into it, 7-decimal USDC; 0 on closes', '0'),
    ledger,
    ts,
    txHash: txHash('The transaction that opened or closed it'),
    pnl: amountOrNull('Realised profit or loss, 7-decimal USDC; null on opens, and where the chain tells of none (liquidations)', '2667828'),
  },
  { $id: 'VaultTrade', description: 'A position that was opened for a vault, or its close' },
)

export type VaultTrade = Static<typeof VaultTrade>

/** Specification, "Vault deposit / withdraw / fee-claim row". */
export const VaultFlow = Type.Object(
  {
    id,
    vaultId,
    principal: address('The depositor; the leader for fee claims'),
    amount: amount('7-decimal USDC; what was paid out for withdrawals', '1000000000'),
    shares: Type.Optional(Type.Unsafe<string>({ type: 'string', description: 'Minted or burned; absent on fee claims', examples: ['1000000000'] })),
    ledger,
    ts,
    txHash: txHash('Its transaction'),
  },
  { $id: 'VaultFlow', description: 'Money that came into a vault or left it' },
)

export type VaultFlow = Static<typeof VaultFlow>
