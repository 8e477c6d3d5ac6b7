import { Type } from 'typebox'
import type { Static } from 'typebox'
import { address, amount, amountOrNull, integerOrNull, seconds, textOrNull, txHash } from './fields.ts'

const id = Type.Integer({ description: 'Sequence number of the event in the log.', examples: [4217] })
const vaultId = Type.Integer({ description: 'Vault id.', examples: [0] })
const ledger = Type.Integer({ description: 'Ledger of the event.', examples: [1234567] })
const ts = seconds('Close time of that ledger, Unix seconds.')

const JOINED = 'Null if the position was opened before the index begins.'

/** Specification, "Vault trade row", and the market's part of the trade. */
export const VaultTrade = Type.Object(
  {
    id,
    vaultId,
    positionId: Type.String({ description: 'On-chain position id.', examples: ['42'] }),
    action: Type.Unsafe<'open' | 'close'>({
      type: 'string', enum: ['open', 'close'], description: 'open, or close for closes and liquidations of a position or a part of it.', examples: ['close'],
    }),
    leader: address('Leader who opened or closed the position.'),
    collateral: amount('Collateral in USDC, 7-decimal. 0 on closes.', '0'),
    ledger,
    ts,
    txHash: txHash('Transaction that opened or closed the position.'),
    pnl: amountOrNull('Realised profit or loss in USDC, 7-decimal. Null on opens and liquidations.', '2667828'),
    asset: textOrNull({ description: `Asset symbol. ${JOINED}`, examples: ['BTC'] }),
    direction: integerOrNull({ description: `0 is long, 1 is short. ${JOINED}`, examples: [0] }),
    size: amountOrNull(`Notional value that was opened or closed in USDC, 7-decimal. ${JOINED}`, '500000000'),
    price: amountOrNull(`Price at which it was opened or closed in USD, 7-decimal. ${JOINED}`, '1090000000000'),
  },
  { $id: 'VaultTrade', description: 'A position opened or closed by a vault.' },
)

export type VaultTrade = Static<typeof VaultTrade>

/** Not in the specification. */
export const VaultSample = Type.Object(
  {
    time: seconds('Start of the five-minute interval, Unix seconds.'),
    ledger: Type.Integer({ description: 'Ledger that was sampled.', examples: [1_234_567] }),
    sharePrice: amount('USDC per share, 7-decimal. 1 while there are no shares.', '10000000'),
    totalUsdc: amount('USDC of the vault, without collateral in open positions, 7-decimal.', '50000000000'),
    circulatingShares: amount('Shares of all depositors, 7-decimal.', '50000000000'),
    hwmNav: amount('Highest share price so far, 7-decimal. The leader earns only above it.', '10000000'),
    deposits: amount('USDC deposited in this interval, and in intervals without a sample before it, 7-decimal.', '1000000000'),
    withdrawals: amount('USDC withdrawn in the same intervals, 7-decimal.', '0'),
  },
  { $id: 'VaultSample', description: 'A historical sample of a trader vault.' },
)

export type VaultSample = Static<typeof VaultSample>

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
