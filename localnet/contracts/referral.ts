// The referral contract. On the local network it stands at its address with its published interface and is not initialised: calls
// answer 2, views answer as of a contract that knows no code.

import { ONE_E7 } from '../../src/base/fixed-point.ts'
import { REFERRAL_ERRORS } from '../../src/exchange/errors.ts'
import type { ContractCode, EntryPoint, SpecType } from './host.ts'
import { i128, symbol, u32, vec, VOID } from './host.ts'
import { entryPoint, fail } from './values.ts'

const NOT_INITIALIZED = 2
const UNKNOWN_CODE = 10

/** Configuration that the contract starts with. */
const DISCOUNT_BPS = 400
const SHARE_BPS = 1000
const MIN_CODE_VOLUME = 10_000n * ONE_E7

/** The referral contract's code, uninitialised. */
export function referralContract(): ContractCode {
  return {
    name: 'referral',
    structs: {
      ReferralInfo: [
        ['claimable', 'i128'], ['code', 'string'], ['created_at', 'u64'], ['referred_count', 'u32'], ['referrer', 'address'],
        ['total_earned', 'i128'], ['total_volume_generated', 'i128'],
      ],
    },
    errors: REFERRAL_ERRORS,
    entryPoints: {
      create_code: uninitialised({ referrer: 'address', code: 'string' }, 'void'),
      set_referrer: uninitialised({ referee: 'address', code: 'string' }, 'void'),
      record_trade: uninitialised({ referee: 'address', original_fee: 'i128' }, { tuple: ['i128', 'i128'] }),
      claim: uninitialised({ referrer: 'address' }, 'i128'),
      get_info: entryPoint({ referrer: 'address' }, { struct: 'ReferralInfo' }, () => fail(UNKNOWN_CODE)),
      get_referrer: entryPoint({ referee: 'address' }, { option: 'address' }, () => VOID),
      resolve_code: entryPoint({ code: 'string' }, { option: 'address' }, () => VOID),
      get_config: entryPoint({}, { tuple: ['u32', 'u32', 'i128'] }, () => vec(u32(DISCOUNT_BPS), u32(SHARE_BPS), i128(MIN_CODE_VOLUME))),
      get_admin: uninitialised({}, 'address'),
      get_market: uninitialised({}, 'address'),
      version: entryPoint({}, 'symbol', () => symbol('v1')),
      set_discount_bps: uninitialised({ bps: 'u32' }, 'void'),
      set_referrer_share_bps: uninitialised({ bps: 'u32' }, 'void'),
      set_min_code_volume: uninitialised({ min_volume: 'i128' }, 'void'),
    },
  }
}

function uninitialised(inputs: Readonly<Record<string, SpecType>>, output: SpecType): EntryPoint {
  return entryPoint(inputs, output, () => fail(NOT_INITIALIZED))
}
