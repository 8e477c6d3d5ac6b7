import { Type } from 'typebox'
import type { Static } from 'typebox'
import { address, amountOrNull, integerOrNull, ref } from './fields.ts'

/** A trader vault of GET /v1/account/me/holdings. */
export const VaultHolding = Type.Object(
  {
    vaultId: Type.Integer({ description: 'Vault id.', examples: [0] }),
    shares: amountOrNull('Shares of the account in the vault, 7-decimal. Null if unreadable.', '1000000000'),
    fullValue: amountOrNull(
      'Value of the whole vault in USDC, with the positions and orders of its leader, 7-decimal. Deposits and withdrawals use it. Null where the contracts ' +
      'count the vault\'s USDC alone (generation 1), and while they cannot value the vault.',
      '182672426343',
    ),
  },
  { $id: 'VaultHolding', description: 'What an account has in a trader vault.' },
)

/** Response of GET /v1/account/me/holdings. */
export const AccountHoldings = Type.Object(
  {
    owner: address('The account.'),
    ledger: Type.Integer({ description: 'Ledger that the entries were read from.', examples: [1_234_567] }),
    pool: Type.Object({
      withdrawCooldownSec: integerOrNull({
        description: 'Time after a deposit without withdrawals, seconds. 0 where there is none. Null if unreadable.', examples: [1_800],
      }),
      lastDepositTs: integerOrNull({
        description: 'Time of the account\'s last deposit, Unix seconds. Null if there is none, or it is not recorded.', examples: [1_783_339_200],
      }),
      withdrawableAt: integerOrNull({ description: 'End of the time without withdrawals, Unix seconds. Null without a deposit.', examples: [1_783_341_000] }),
      depositCap: amountOrNull('Highest sum of all deposits of one account in USDC, 7-decimal. Null without a cap.', '500000000000'),
      deposited: amountOrNull('Sum of the account\'s deposits that count towards the cap in USDC, 7-decimal. Null where it is not recorded.', '10000000000'),
    }, { description: 'The liquidity pool. The balance of LP tokens is in GET /v1/account/me/state.' }),
    vaults: Type.Array(ref(VaultHolding), { description: 'The requested vaults, in the order of the request.' }),
  },
  { $id: 'AccountHoldings', description: 'What an account has in the liquidity pool and in trader vaults.' },
)

export type VaultHolding = Static<typeof VaultHolding>
export type AccountHoldings = Static<typeof AccountHoldings>

export const EXAMPLE_ACCOUNT_HOLDINGS: AccountHoldings = {
  owner: 'GAAZI4TCR3TY5OJHCTJC2A4QSY6CJWJH5IAJTGKIN2ER7LBNVKOCCWN7',
  ledger: 1_234_567,
  pool: { withdrawCooldownSec: 1_800, lastDepositTs: 1_783_339_200, withdrawableAt: 1_783_341_000, depositCap: null, deposited: '10000000000' },
  vaults: [{ vaultId: 0, shares: '1000000000', fullValue: '182672426343' }],
}
