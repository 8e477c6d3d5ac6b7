import { xdr } from '@stellar/stellar-sdk'
import type { LedgerEntryResult } from '../chain.ts'
import { CONFIG_SETTING_ENTRIES } from './config-settings.ts'
import { LEDGER_KEYS_MAX } from './limits.ts'
import type { MethodContext } from './method.ts'
import type { Params } from './params.ts'
import { optionalStrings, requireBase64 } from './params.ts'
import { invalidParams } from './rpc-error.ts'

/** A LedgerEntryExt without a sponsor. No entry of the local network has one. */
const NO_EXTENSION_XDR = 'AAAAAA=='

/** getLedgerEntries (soroban-rpc, "getLedgerEntries"): existing entries in the order of the request, then the network's settings. */
export function getLedgerEntries({ chain, history }: MethodContext, params: Params): unknown {
  requireBase64(params)
  const keys = optionalStrings(params, 'keys')
  if (keys.length > LEDGER_KEYS_MAX) throw invalidParams(`key count (${keys.length}) exceeds maximum supported (${LEDGER_KEYS_MAX})`)
  const canonicalKeys = keys.map(canonicalKey)
  return { entries: [...chain.entries(canonicalKeys).map(entryItem), ...canonicalKeys.flatMap(settingItem)], latestLedger: history.latest().sequence }
}

/** Settings are the same from genesis on. */
function settingItem(key: string): readonly unknown[] {
  const dataXdr = CONFIG_SETTING_ENTRIES.get(key)
  return dataXdr === undefined ? [] : [{ key, xdr: dataXdr, lastModifiedLedgerSeq: 1, extXdr: NO_EXTENSION_XDR }]
}

/** A key in canonical encoding. Throws RpcError. */
function canonicalKey(key: string, index: number): string {
  let decoded: xdr.LedgerKey
  try {
    decoded = xdr.LedgerKey.fromXdr(key, 'base64')
  } catch {
    throw invalidParams(`cannot unmarshal key value ${key} at index ${index}`)
  }
  if (decoded.type === 'ttl') throw invalidParams('ledger ttl entries cannot be queried directly')
  return decoded.toXdr('base64')
}

function entryItem(entry: LedgerEntryResult): unknown {
  return {
    key: entry.keyXdr,
    xdr: entry.dataXdr,
    lastModifiedLedgerSeq: entry.lastModifiedLedgerSeq,
    ...(entry.liveUntilLedgerSeq === null ? {} : { liveUntilLedgerSeq: entry.liveUntilLedgerSeq }),
    extXdr: NO_EXTENSION_XDR,
  }
}
