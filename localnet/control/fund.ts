import { accountKeyXdr } from '../actors/client.ts'
import { address, i128 } from '../contracts/shared/host.ts'
import { applyInvocation, latestView } from '../controls.ts'
import type { Controls } from '../controls.ts'
import type { ExtraMethod } from '../rpc/handler.ts'
import { invalidParams } from '../rpc/rpc-error.ts'
import { ACCOUNT_OR_CONTRACT, AMOUNT, optional, readParams } from './params.ts'

/** The default XLM of a new account, for fees and reserves: 10,000 XLM. */
const DEFAULT_NEW_ACCOUNT_STROOPS = 100_000_000_000n
/** An account's balance is an i64. */
const MAX_BALANCE = 2n ** 63n - 1n

/**
 * local_fund: creates the account if necessary, opens its trustlines to USDC and the LP token, mints test USDC to it and adds XLM. A contract address gets
 * USDC only.
 */
export function localFund(controls: Controls): ExtraMethod {
  const { chain, lock, usdcIssuer, deployment: { usdcAsset, usdcToken, lpAsset } } = controls

  function checkAmounts(isAccount: boolean, { usdc, xlm }: { readonly usdc: bigint; readonly xlm: bigint | null }): void {
    if (!isAccount && xlm !== null) throw invalidParams('xlm is not supported for contracts: they get USDC only')
    for (const [name, amount] of Object.entries({ usdc, xlm })) {
      if (isAccount && amount !== null && amount > MAX_BALANCE) throw invalidParams(`${name} exceeds what an account can hold`)
    }
  }

  /** Creates the account and its trustlines where they are missing. */
  function grantXlmAndTrustlines(account: string, xlm: bigint | null): void {
    const exists = chain.entries([accountKeyXdr(account)]).length > 0
    chain.grant(account, 'native', xlm ?? (exists ? 0n : DEFAULT_NEW_ACCOUNT_STROOPS))
    if (account !== usdcIssuer.address) chain.grant(account, usdcAsset, 0n)
    if (account !== lpAsset.split(':')[1]) chain.grant(account, lpAsset, 0n)
  }

  return (params) =>
    lock.run(async () => {
      const { address: account, usdc, xlm } = readParams(params, { address: ACCOUNT_OR_CONTRACT, usdc: AMOUNT, xlm: optional(AMOUNT) })
      const isAccount = account.startsWith('G')
      checkAmounts(isAccount, { usdc, xlm })
      if (isAccount) grantXlmAndTrustlines(account, xlm)
      if (usdc === 0n) return { ledger: chain.closeLedger() }
      const mint = { contract: usdcToken, functionName: 'mint', args: [address(account), i128(usdc)] }
      await applyInvocation(chain, usdcIssuer, () => mint)
      return { ledger: latestView(chain).sequence }
    })
}
