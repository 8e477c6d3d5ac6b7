// The ledger entries that each function of the exchange may touch besides those that every call of it touches. A simulation takes one path through the
// contracts: a profit, a loss, a full fee tier. The ledger may take another, and an entry that the transaction did not declare fails it.
//
// An entry is written as on the chain, with the contract before and variables in the brackets: `market LastGoodPrice(priced)`. `usdc of trader` is a
// balance: the trustline of an account, or the balance entry of a contract. `instance of usdcToken` is the entry of the contract itself.

import type { ContractKey } from './contracts.ts'
import type { Generation } from './generations.ts'

/**
 * The variables that the brackets may hold:
 * - `trader`, `position`, `order`, `vaultId`: from the arguments, otherwise from the simulated entries;
 * - `asset`: the assets that the call trades; `priced`: all assets whose price it reads;
 * - `newPosition`, `newOrder`, `newVault`: the next ids of the contract's counter, beginning with the simulated one.
 */
export type Variable = 'trader' | 'position' | 'order' | 'vaultId' | 'asset' | 'priced' | 'newPosition' | 'newOrder' | 'newVault'

export interface EntryGroup {
  /** The first generation that has these entries, and the first that no longer has them. */
  readonly since?: Generation
  readonly before?: Generation
  /** The group applies only if the simulation touched an entry of the market with this name. */
  readonly when?: string
  readonly reads?: readonly string[]
  readonly writes?: readonly string[]
}

export interface FunctionEntries {
  /** The variables that the arguments name, in order. Further arguments name nothing. */
  readonly args: readonly (Variable | null)[]
  readonly groups: readonly EntryGroup[]
}

/** Every price that is fresh when it is read becomes the last good price. A stale one does not, so the entry may be missing in the simulation. */
const PRICE: EntryGroup = { writes: ['market LastGoodPrice(priced)'] }

/** Fees, losses and profits move USDC between these. Any of them may be zero. */
const PAYMENTS: EntryGroup = { reads: ['instance of usdcToken'], writes: ['usdc of market', 'usdc of vault', 'usdc of trader'] }

/** The protocol's share of a fee, and the referrer's. The treasury only gets what the vault's buffer does not need. */
const FEE: EntryGroup = { writes: ['usdc of vault', 'usdc of treasury'] }
const FEE_2: EntryGroup = { since: '2.0', writes: ['vault BufferBalance', 'usdc of referral'] }

/** A profit is paid by the vault, which may owe a part of it; a loss is paid to it; a loss above the collateral is drawn from its buffer. */
const SETTLEMENT_2: EntryGroup = {
  since: '2.0',
  reads: ['vault TotalFees', 'vault ShortfallReserve'],
  writes: [
    'market AdlActive(asset)', 'vault BufferBalance', 'vault TotalUsdc', 'vault Shortfall', 'vault CumShortfall', 'vault ShortfallOwed(trader)',
    'vault CumBadDebtCovered', 'vault CumBadDebtLpAbsorbed',
  ],
}
/** From build 2.3 on, profits and losses write what they read, so that both have the same footprint. */
const SETTLEMENT_2_3: EntryGroup = { since: '2.3', writes: ['vault TotalFees', 'vault ShortfallReserve'] }
const SETTLEMENT = [PRICE, PAYMENTS, SETTLEMENT_2, SETTLEMENT_2_3] as const

/** An open first closes positions in the other direction, whose attached orders it looks up. */
const NETTING: readonly EntryGroup[] = [SETTLEMENT_2, SETTLEMENT_2_3].map((group) => ({ ...group, when: 'PositionStopLoss' }))

/** The pool of a cross account, and the list of traders who have one. */
const CROSS: readonly EntryGroup[] = [
  { writes: ['market CrossMarginBalance(trader)'] },
  { before: '2.3', writes: ['market AllCrossMarginTraders'] },
]

const OPEN: readonly EntryGroup[] = [PRICE, PAYMENTS, FEE, FEE_2, ...NETTING, { writes: ['market Position(newPosition)'] }]

const NEW_ORDER: EntryGroup = { writes: ['market Order(newOrder)'] }

/** An order is cancelled at once, or stays pending, depending on the price. */
const PENDING: readonly EntryGroup[] = [
  PRICE,
  { writes: ['usdc of market', 'usdc of trader'] },
  { before: '2.3', writes: ['market AllOrders', 'market TraderOrders(trader)'] },
  { since: '2.3', writes: ['market OpenOrderCount', 'market OrderCountOf(trader)'] },
]

/** A keeper's execution fills or cancels an order, and settles what it closes. */
const EXECUTION: readonly EntryGroup[] = [
  ...SETTLEMENT, FEE, FEE_2,
  { writes: ['usdc of caller'] },
  { when: 'PositionCounter', writes: ['market Position(newPosition)'] },
]

/** The first liquidation of a position may close a part of it, and a later one the rest. */
const LIQUIDATION: readonly EntryGroup[] = [
  ...SETTLEMENT,
  { writes: ['usdc of caller'] },
  { since: '2.0', writes: ['vault ShortfallReserve'] },
]

const MARKET = {
  open_position: { args: ['trader', 'asset'], groups: OPEN },
  open_position_cross: { args: ['trader', 'asset'], groups: [...OPEN, ...CROSS] },
  close_position: { args: ['trader', 'position'], groups: SETTLEMENT },
  close_position_partial: { args: ['trader', 'position'], groups: SETTLEMENT },
  close_position_cross: { args: ['trader', 'position'], groups: [...SETTLEMENT, ...CROSS] },
  deposit_cross_margin: { args: ['trader'], groups: [] },
  withdraw_cross_margin: { args: ['trader'], groups: [PRICE] },
  add_collateral: { args: ['trader', 'position'], groups: [] },
  remove_collateral: { args: ['trader', 'position'], groups: [PRICE] },
  place_limit_order: { args: ['trader', 'asset'], groups: [NEW_ORDER, ...PENDING] },
  place_stop_limit_order: { args: ['trader', 'asset'], groups: [NEW_ORDER] },
  set_stop_loss: { args: ['trader', 'position'], groups: [NEW_ORDER] },
  set_take_profit: { args: ['trader', 'position'], groups: [NEW_ORDER] },
  place_trailing_stop: { args: ['trader', 'position'], groups: [PRICE, NEW_ORDER, { writes: ['market TrailingStopPeak(newOrder)'] }] },
  cancel_order: { args: ['trader', 'order'], groups: [] },
  execute_order: { args: [null, 'order'], groups: EXECUTION },
  liquidate: {
    args: [null, 'position'],
    groups: [...LIQUIDATION, { since: '2.0', writes: ['market PartialLiqTs(position)', 'market ClosedProceeds(position)'] }],
  },
  liquidate_cross_account: { args: [null, 'trader'], groups: [...LIQUIDATION, { since: '2.0', writes: ['market CrossPartialLiqTs(trader)'] }] },
  adl_close: { args: [null, 'position'], groups: SETTLEMENT },
  check_adl_trigger: { args: ['asset'], groups: [PRICE, { writes: ['market AdlActive(asset)'] }] },
  update_trailing_peak: { args: ['order'], groups: [PRICE, { writes: ['market TrailingStopPeak(order)'] }] },
  sync_asset_pnl: { args: ['asset'], groups: [PRICE] },
} as const satisfies Readonly<Record<string, FunctionEntries>>

/** The payout of a claim depends on what the vault has. */
const CLAIM: EntryGroup = {
  since: '2.0',
  writes: [
    'vault ShortfallReserve', 'vault BufferBalance', 'vault Shortfall', 'vault CumShortfallRepaid', 'vault ShortfallOwed(trader)', 'usdc of vault',
    'usdc of trader',
  ],
}

const VAULT = {
  claim_shortfall: { args: ['trader'], groups: [CLAIM] },
} as const satisfies Readonly<Record<string, FunctionEntries>>

/** The market sees the factory as the trader of every vault. */
const VAULT_ORDER: EntryGroup = { since: '2.0', writes: ['vaultFactory OrderVault(newOrder)'] }
const LEADER_ORDER = { args: [null, 'vaultId'], groups: [NEW_ORDER, VAULT_ORDER] } as const
const LEADER_ENTRY = { args: [null, 'vaultId', 'asset'], groups: [NEW_ORDER, VAULT_ORDER, ...PENDING] } as const

const VAULT_FACTORY = {
  create_vault: { args: [], groups: [{ writes: ['vaultFactory Vault(newVault)'] }] },
  leader_open_position: {
    args: [null, 'vaultId', 'asset'], groups: [...OPEN, { since: '2.0', writes: ['vaultFactory PositionVault(newPosition)'] }],
  },
  leader_close_position: { args: [null, 'vaultId', 'position'], groups: SETTLEMENT },
  leader_place_limit_order: LEADER_ENTRY,
  leader_place_stop_limit: LEADER_ENTRY,
  leader_set_stop_loss: LEADER_ORDER,
  leader_set_take_profit: LEADER_ORDER,
  leader_place_trailing_stop: { args: [null, 'vaultId'], groups: [PRICE, NEW_ORDER, VAULT_ORDER, { writes: ['market TrailingStopPeak(newOrder)'] }] },
  leader_cancel_order: { args: [null, 'vaultId', 'order'], groups: [] },
} as const satisfies Readonly<Record<string, FunctionEntries>>

const TABLE: Readonly<Partial<Record<ContractKey, Readonly<Record<string, FunctionEntries>>>>> = { market: MARKET, vault: VAULT, vaultFactory: VAULT_FACTORY }

/** The entries that a function may touch; undefined for functions that always touch the same ones. */
export function entriesOf(contract: ContractKey, functionName: string): FunctionEntries | undefined {
  const functions = TABLE[contract]
  return functions !== undefined && Object.hasOwn(functions, functionName) ? functions[functionName] : undefined
}

/** The functions of the table. */
export const COVERED_FUNCTIONS: readonly (readonly [contract: ContractKey, functionName: string])[] = Object.entries(TABLE).flatMap(
  ([contract, functions]) => Object.keys(functions).map((name) => [contract as ContractKey, name] as const),
)
