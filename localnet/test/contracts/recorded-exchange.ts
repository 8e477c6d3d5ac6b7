// The local contracts as the recorded scenarios start them: uninitialized, with a price shim and a referral contract that answer what a step says.

import type { ContractCode, ContractEnv, Val } from '../../contracts/shared/host.ts'
import { address, bool, i128, symbol, text, u64, vec, VOID } from '../../contracts/shared/host.ts'
import { liquidityVaultContract } from '../../contracts/generation-2/liquidity-vault/liquidity-vault.ts'
import { marketContract } from '../../contracts/generation-2/market/market.ts'
import { SYMBOLS } from '../../contracts/generation-2/market/symbols.ts'
import { referralContract } from '../../contracts/generation-2/referral.ts'
import { traderVaultsContract } from '../../contracts/generation-2/trader-vaults/trader-vaults.ts'
import { createTestHost, type TestHost } from './test-host.ts'
import { assetContract } from '../../contracts/shared/token.ts'
import { asAddress, asBool, asI128, asSymbol, entryPoint, fail, fieldOf, storageKey, structCodec } from '../../contracts/shared/values.ts'
import type { RecordedPrice, ReferralAnswer } from './recorded-calls.ts'

const E7 = 10_000_000n
const BPS = 10_000n
const INVALID_PRICE = 31
const ORACLE_UNAVAILABLE = 32

export const TOKENS: readonly string[] = ['usdc', 'lp']
const ISSUER = 'issuer'

/** Balances before the first step. */
const USDC_BALANCES: Readonly<Record<string, bigint>> = {
  provider: 20_000_000n * E7, alice: 1_000_000n * E7, bob: 1_000_000n * E7, carol: 1_000_000n * E7, dave: 50n * E7,
}
const LP_STOCK = 100_000_000n * E7

/** The answers of the mocks. Steps change it. */
interface MockAnswers {
  readonly prices: Map<string, MockPrice>
  referral: ReferralAnswer
}

interface MockPrice {
  readonly price: bigint
  readonly timestampSec: bigint
  /** null: none; `fail`: the call fails. */
  readonly average: { readonly price: bigint; readonly timestampSec: bigint } | null | 'fail'
}

export interface RecordedExchange {
  readonly host: TestHost
  readonly answers: MockAnswers
  setPrice(asset: string, price: RecordedPrice): void
}

/** A host with the contracts of build 2.3 under their recorded names. Accounts are addresses of contracts, so they have no trustlines. */
export function createRecordedExchange(): RecordedExchange {
  const answers: MockAnswers = { prices: new Map(), referral: ['fail', 0, 0] }
  const host = createTestHost({
    market: marketContract('2.3'),
    vault: liquidityVaultContract('2.3'),
    factory: traderVaultsContract('2.3'),
    registry: referralContract(),
    oracle: mockShim(answers),
    referral: mockReferral(answers),
    usdc: revocable(`USDC:${ISSUER}`),
    lp: revocable(`NOE:${ISSUER}`),
  })
  for (const [holder, amount] of Object.entries(USDC_BALANCES)) host.invokeOk('usdc', 'mint', [address(holder), i128(amount)], [ISSUER])
  host.invokeOk('lp', 'mint', [address('vault'), i128(LP_STOCK)], [ISSUER])
  return {
    host,
    answers,
    setPrice(asset, recorded) {
      if (recorded === null) return void answers.prices.delete(asset)
      const [price, ageSec, average, averageAgeSec = 0] = recorded
      const before = (seconds: number): bigint => host.ledger.timestampSec - BigInt(seconds)
      answers.prices.set(asset, {
        price: BigInt(price),
        timestampSec: before(ageSec),
        average: average === null || average === 'fail' ? average : { price: BigInt(average), timestampSec: before(averageAgeSec) },
      })
    },
  }
}

function mockShim({ prices }: MockAnswers): ContractCode {
  return {
    name: 'mock of the price shim',
    entryPoints: {
      lastprice: entryPoint({ asset: 'symbol' }, { tuple: ['i128', 'u64'] }, (_env, [asset]) => {
        if (!SYMBOLS.includes(asSymbol(asset))) fail(INVALID_PRICE)
        const { price, timestampSec } = prices.get(asSymbol(asset)) ?? fail(ORACLE_UNAVAILABLE)
        return vec(i128(price), u64(timestampSec))
      }),
      twap: entryPoint({ asset: 'symbol', records: 'u32' }, { option: { tuple: ['i128', 'u64'] } }, (_env, [asset]) => {
        const average = prices.get(asSymbol(asset))?.average ?? null
        if (average === 'fail') fail(ORACLE_UNAVAILABLE)
        return average === null ? VOID : vec(i128(average.price), u64(average.timestampSec))
      }),
    },
  }
}

function mockReferral(answers: MockAnswers): ContractCode {
  return {
    name: 'mock of the referral contract',
    entryPoints: {
      record_trade: entryPoint({ referee: 'address', original_fee: 'i128', volume: 'i128' }, { tuple: ['i128', 'i128'] }, (_env, [, fee]): Val => {
        const [kind, discount, payout] = answers.referral
        if (kind === 'fail') fail(1)
        const amounts = [BigInt(discount), BigInt(payout)]
        return vec(...amounts.map((amount) => i128(kind === 'bps' ? (asI128(fee) * amount) / BPS : amount)))
      }),
    },
  }
}

/** An asset whose issuer can revoke the authorization of contracts to hold it. The local network's issuers cannot. */
function revocable(asset: string): ContractCode {
  const code = assetContract(asset)
  const setAuthorized = entryPoint({ id: 'address', authorize: 'bool' }, 'void', (env, [id, authorize]) => {
    env.requireAuth(ISSUER)
    writeAuthorized(env, asAddress(id), asBool(authorize))
    env.emit([symbol('set_authorized'), address(ISSUER), address(asAddress(id)), text(asset)], bool(asBool(authorize)))
    return VOID
  })
  return { ...code, entryPoints: { ...code.entryPoints, set_authorized: setAuthorized } }
}

const BALANCE = structCodec({ amount: 'i128', authorized: 'bool', clawback: 'bool' })

const balanceKey = (holder: string): Val => storageKey('Balance', address(holder))

export function balanceIn(val: Val | undefined): bigint {
  return val === undefined ? 0n : asI128(fieldOf(val, 'amount'))
}

function writeAuthorized(env: ContractEnv, holder: string, authorized: boolean): void {
  const amount = balanceIn(env.get('persistent', balanceKey(holder)))
  env.set('persistent', balanceKey(holder), BALANCE.toVal({ amount, authorized, clawback: false }))
}
