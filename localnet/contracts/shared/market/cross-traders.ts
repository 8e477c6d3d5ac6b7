// The list of traders with cross positions, which keepers scan.

import type { ContractEnv } from '../host.ts'
import { address, vec } from '../host.ts'
import { asAddress, asVec } from '../values.ts'
import { KEYS } from './storage.ts'

function readCrossTraders(env: ContractEnv): readonly string[] {
  const stored = env.get('persistent', KEYS.allCrossMarginTraders)
  return stored === undefined ? [] : asVec(stored).map(asAddress)
}

export function addCrossTrader(env: ContractEnv, trader: string): void {
  const traders = readCrossTraders(env)
  if (!traders.includes(trader)) env.set('persistent', KEYS.allCrossMarginTraders, vec(...[...traders, trader].map(address)))
}

export function removeCrossTrader(env: ContractEnv, trader: string): void {
  const others = readCrossTraders(env).filter((other) => other !== trader)
  env.set('persistent', KEYS.allCrossMarginTraders, vec(...others.map(address)))
}
