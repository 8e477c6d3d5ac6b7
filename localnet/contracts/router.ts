// The router: relays a signed price and calls the market in one transaction. On the local network it stands at its address with its
// published interface and is not initialised, so that every call of it answers 1.

import { SHARED_ERRORS } from '../../src/exchange/errors.ts'
import type { ContractCode, EntryPoint, SpecType } from './host.ts'
import { POSITION } from './market/types.ts'
import { entryPoint, fail } from './values.ts'

const NOT_INITIALIZED = 1

/** What stands behind every call: the signed price. */
const ATTESTATION: Readonly<Record<string, SpecType>> = {
  price: 'i128', timestamp: 'u64', round_id: 'u64', pubkeys: { vec: { bytesN: 32 } }, sigs: { vec: { bytesN: 64 } },
}

const OPEN: Readonly<Record<string, SpecType>> = {
  trader: 'address', asset: 'symbol', collateral: 'i128', leverage: 'u32', direction: 'u32',
}

/** The router's code, uninitialised. */
export function routerContract(): ContractCode {
  return {
    name: 'router',
    structs: {
      Attestation: [
        ['asset', 'symbol'], ['price', 'i128'], ['pubkeys', { vec: { bytesN: 32 } }], ['round_id', 'u64'],
        ['sigs', { vec: { bytesN: 64 } }],
        ['timestamp', 'u64'],
      ],
      Position: POSITION.spec,
    },
    errors: SHARED_ERRORS,
    entryPoints: {
      open_with_price: uninitialised({ ...OPEN, ...ATTESTATION }, { struct: 'Position' }),
      close_with_price: uninitialised({ trader: 'address', position_id: 'u64', asset: 'symbol', ...ATTESTATION }, 'i128'),
      liquidate_with_price: uninitialised({ keeper: 'address', position_id: 'u64', asset: 'symbol', ...ATTESTATION }, 'i128'),
      execute_with_price: uninitialised({ keeper: 'address', order_id: 'u64', asset: 'symbol', ...ATTESTATION }, 'i128'),
      liquidate_cross_with_prices: uninitialised(
        { keeper: 'address', trader: 'address', attestations: { vec: { struct: 'Attestation' } } },
        'i128',
      ),
    },
  }
}

function uninitialised(inputs: Readonly<Record<string, SpecType>>, output: SpecType): EntryPoint {
  return entryPoint(inputs, output, () => fail(NOT_INITIALIZED))
}
