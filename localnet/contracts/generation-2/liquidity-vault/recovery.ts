// Emergency recovery: while the vault is paused, the admin can move USDC to one fixed address, after a delay.

import { transferToken } from '../../calls.ts'
import { emit } from '../../emit.ts'
import type { ContractEnv, EntryPoint, Val } from '../../host.ts'
import { address, i128, u64, vec, VOID } from '../../host.ts'
import { asAddress, asI128, asU64, asVec, checked, entryPoint, fail, minOf } from '../../values.ts'
import * as vault from './storage.ts'
import { AMOUNTS, ERRORS, KEYS } from './storage.ts'

const DELAY_SEC = 172_800n

export function recoveryEntryPoints(): Record<string, EntryPoint> {
  return {
    init_recovery: entryPoint({ recipient: 'address' }, 'void', (env, args) => {
      vault.requireAdmin(env)
      if (env.get('instance', KEYS.recoveryAddress) !== undefined) fail(ERRORS.AlreadyInitialized)
      env.set('instance', KEYS.recoveryAddress, address(asAddress(args[0])))
      emit(env, 'recovery_init', address(asAddress(args[0])))
      return VOID
    }),
    propose_recovery: entryPoint({ amount: 'i128' }, 'void', (env, args) => {
      const amount = asI128(args[0])
      vault.requireAdmin(env)
      if (amount <= 0n) fail(ERRORS.InvalidAmount)
      if (!vault.isPaused(env) || env.get('instance', KEYS.recoveryAddress) === undefined) fail(ERRORS.InvalidParameter)
      const executeAfter = env.ledger.timestampSec + DELAY_SEC
      env.set('instance', KEYS.recoveryProposal, vec(i128(amount), u64(executeAfter)))
      emit(env, 'recovery_proposed', i128(amount), u64(executeAfter))
      return VOID
    }),
    execute_recovery: entryPoint({}, 'void', executeRecovery),
    cancel_recovery: entryPoint({}, 'void', (env) => {
      vault.requireAdmin(env)
      requireProposal(env)
      env.remove('instance', KEYS.recoveryProposal)
      emit(env, 'recovery_cancelled')
      return VOID
    }),
  }
}

/** Pays up to the vault's balance. Fails with 5 unless the vault is paused and a proposal is due. */
function executeRecovery(env: ContractEnv): Val {
  vault.requireAdmin(env)
  if (!vault.isPaused(env)) fail(ERRORS.InvalidParameter)
  const [amount, executeAfter] = requireProposal(env)
  if (env.ledger.timestampSec < executeAfter) fail(ERRORS.InvalidParameter)
  const paid = minOf(amount, vault.usdcBalance(env))
  const recipient = vault.readAddress(env, KEYS.recoveryAddress)
  env.remove('instance', KEYS.recoveryProposal)
  vault.addAmount(env, AMOUNTS.totalUsdc, checked(-paid))
  transferToken(env, vault.readAddress(env, KEYS.usdc), env.self, recipient, paid)
  emit(env, 'recovery_executed', i128(paid), address(recipient))
  return VOID
}

function requireProposal(env: ContractEnv): readonly [amount: bigint, executeAfterSec: bigint] {
  const [amount, executeAfter] = asVec(env.get('instance', KEYS.recoveryProposal) ?? fail(ERRORS.InvalidParameter))
  return [asI128(amount), asU64(executeAfter)]
}
