// Pauses: a halt stops what adds risk, a freeze also what lowers it, and one asset can be halted (generation 2, "Pause gates").

import { emit } from '../../shared/emit.ts'
import type { ContractEnv } from '../../shared/host.ts'
import { u32, u64, vec } from '../../shared/host.ts'
import { requireInitialized } from '../../shared/market/storage.ts'
import { asU32, asU64, asVec, fail } from '../../shared/values.ts'
import { ERRORS } from './errors.ts'
import { ADDED_KEYS, PAUSE_STATE, readFlag } from './storage.ts'

export const LIVE = 0
export const HALTED = 1
export const FROZEN = 2

/** From this time on a freeze counts as a halt. */
const FREEZE_MAX_SEC = 259_200n

export interface PauseState {
  readonly mode: number
  readonly sinceSec: bigint
}

/** The pause state, with an old freeze as a halt. */
export function effectivePauseState(env: ContractEnv): PauseState {
  const state = storedPauseState(env)
  return hasDegraded(env, state) ? { ...state, mode: HALTED } : state
}

function storedPauseState(env: ContractEnv): PauseState {
  const stored = env.get('instance', PAUSE_STATE)
  if (stored === undefined) return { mode: LIVE, sinceSec: 0n }
  const [mode, sinceSec] = asVec(stored)
  return { mode: asU32(mode), sinceSec: asU64(sinceSec) }
}

function hasDegraded(env: ContractEnv, { mode, sinceSec }: PauseState): boolean {
  return mode === FROZEN && env.ledger.timestampSec - sinceSec >= FREEZE_MAX_SEC
}

export function writePauseState(env: ContractEnv, { mode, sinceSec }: PauseState): void {
  env.set('instance', PAUSE_STATE, vec(u32(mode), u64(sinceSec)))
}

/** The gate of calls that add risk: 1 before initialization, 4 in a halt or a freeze. */
export function requireLive(env: ContractEnv): void {
  requireInitialized(env)
  if (effectivePauseState(env).mode !== LIVE) fail(ERRORS.Paused)
}

/** The gate of calls that lower risk: 1 before initialization, 90 in a freeze. The first call after an old freeze stores the halt. */
export function requireNotFrozen(env: ContractEnv): void {
  requireInitialized(env)
  const stored = storedPauseState(env)
  if (stored.mode !== FROZEN) return
  if (!hasDegraded(env, stored)) fail(ERRORS.Frozen)
  writePauseState(env, { ...stored, mode: HALTED })
  emit(env, 'pause_degraded', u32(FROZEN), u32(HALTED))
}

/** The gate of opens and entry orders: as `requireLive`, then 92 while the asset is halted. */
export function requireOpenable(env: ContractEnv, asset: string): void {
  requireLive(env)
  if (readFlag(env, ADDED_KEYS.assetHalted(asset))) fail(ERRORS.AssetHalted)
}
