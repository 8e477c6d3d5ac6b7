// Emergency recovery: while the vault is paused, the admin can move USDC to one fixed address, after a delay.

import { transferToken } from '../../shared/calls.ts'
import { emit } from '../../shared/emit.ts'
import type { ContractEnv, EntryPoint, Val } from '../../shared/host.ts'
import { address, i128, u64, vec, VOID } from '../../shared/host.ts'
import { asAddress, asI128, asU64, asVec, entryPoint, fail, minOf } from '../../shared/values.ts'
import * as vault from './storage.ts'
import { ERRORS, KEYS } from './storage.ts'

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
      if (!vault.isPaused(env)) fail(ERRORS.InvalidParameter)
      vault.requirePositive(amount)
      vault.readAddress(env, KEYS.recoveryAddress)
      const executeAfter = env.ledger.timestampSec + DELAY_SEC
      env.set('instance', KEYS.recoveryProposal, vec(i128(amount), u64(executeAfter)))
      emit(env, 'recovery_proposed', i128(amount), u64(executeAfter))
      return VOID
    }),
    execute_recovery: entryPoint({}, 'void', executeRecovery),
    // Succeeds without a proposal too.
    cancel_recovery: entryPoint({}, 'void', (env) => {
      vault.requireAdmin(env)
      env.remove('instance', KEYS.recoveryProposal)
      emit(env, 'recovery_cancelled')
      return VOID
    }),
  }
}

/** Pays up to the vault's balance; the accounted USDC stays. Fails with 5 unless the vault is paused and a proposal is due. */
function executeRecovery(env: ContractEnv): Val {
  vault.requireAdmin(env)
  if (!vault.isPaused(env)) fail(ERRORS.InvalidParameter)
  const [amount, executeAfter] = asVec(env.get('instance', KEYS.recoveryProposal) ?? fail(ERRORS.InvalidParameter))
  if (env.ledger.timestampSec < asU64(executeAfter)) fail(ERRORS.InvalidParameter)
  const recipient = vault.readAddress(env, KEYS.recoveryAddress)
  const paid = minOf(asI128(amount), vault.usdcBalance(env))
  if (paid > 0n) transferToken(env, vault.readAddress(env, KEYS.usdc), env.self, recipient, paid)
  env.remove('instance', KEYS.recoveryProposal)
  emit(env, 'recovery_executed', i128(paid), address(recipient))
  return VOID
}
