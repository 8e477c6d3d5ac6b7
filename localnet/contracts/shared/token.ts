// The built-in asset contract: a classic asset as a token. Accounts hold it in trustlines (the native asset in the account entry), contracts
// in contract data. Its error codes are the Stellar network's: the same numbers mean different errors in the exchange's contracts.

import type { ContractCode, ContractEnv, EntryPoint, Val } from './host.ts'
import { address, bool, i128, symbol, text, u32, vec, VOID } from './host.ts'
import { readAllowance, spendAllowance, writeAllowance } from './token-allowances.ts'
import { createTokenBalances, type TokenBalances } from './token-balances.ts'
import { asAddress, asBool, asI128, asU32, entryPoint, fail, storageKey } from './values.ts'

/** The asset contract's error codes as the Stellar network names them. */
const TOKEN_ERRORS = {
  2: 'OperationNotSupported', 3: 'AlreadyInitialized', 4: 'Unauthorized', 5: 'Authentication', 6: 'AccountMissing',
  7: 'AccountIsNotClassic',
  8: 'NegativeAmount', 9: 'Allowance', 10: 'Balance', 11: 'BalanceDeauthorized', 12: 'Overflow', 13: 'TrustlineMissing',
  14: 'InsufficientAccountReserve', 15: 'TooManyAccountSubentries',
} as const

const NOT_SUPPORTED = 2
const NEGATIVE_AMOUNT = 8

const DECIMALS = 7
const ADMIN = storageKey('Admin')

/** An asset: what its entry points share. */
interface Asset {
  /** `native` or `CODE:ISSUER`: the contract's name and the last topic of its events. */
  readonly name: string
  readonly code: string
  /** null for the native asset. */
  readonly issuer: string | null
  readonly balances: TokenBalances
}

/** The contract of an asset: `native` or `CODE:ISSUER`. */
export function assetContract(name: string): ContractCode {
  const [code = '', issuer = null] = name.split(':')
  const asset: Asset = { name, code, issuer, balances: createTokenBalances(name, issuer) }
  return {
    name: `asset ${code}`,
    asset: name,
    errors: TOKEN_ERRORS,
    entryPoints: { ...viewEntryPoints(asset), ...transferEntryPoints(asset), ...administrationEntryPoints(asset) },
  }
}

function viewEntryPoints(asset: Asset): Record<string, EntryPoint> {
  return {
    balance: entryPoint({ id: 'address' }, 'i128', (env, [id]) => i128(asset.balances.read(env, asAddress(id)))),
    allowance: entryPoint({ from: 'address', spender: 'address' }, 'i128', (env, [from, spender]) =>
      i128(readAllowance(env, asAddress(from), asAddress(spender))),
    ),
    authorized: entryPoint({ id: 'address' }, 'bool', (env, [id]) => bool(asset.balances.isAuthorized(env, asAddress(id)))),
    admin: entryPoint({}, 'address', (env) => address(readAdmin(env, asset))),
    decimals: entryPoint({}, 'u32', () => u32(DECIMALS)),
    name: entryPoint({}, 'string', () => text(asset.name)),
    symbol: entryPoint({}, 'string', () => text(asset.code)),
  }
}

function transferEntryPoints(asset: Asset): Record<string, EntryPoint> {
  const { balances } = asset
  return {
    transfer: entryPoint({ from: 'address', to: 'address', amount: 'i128' }, 'void', (env, args) => {
      const [from, to, amount] = [asAddress(args[0]), asAddress(args[1]), readAmount(args[2])]
      env.requireAuth(from)
      return moveBalance(env, asset, from, to, amount)
    }),
    transfer_from: entryPoint({ spender: 'address', from: 'address', to: 'address', amount: 'i128' }, 'void', (env, args) => {
      const [spender, from, to, amount] = [asAddress(args[0]), asAddress(args[1]), asAddress(args[2]), readAmount(args[3])]
      env.requireAuth(spender)
      spendAllowance(env, from, spender, amount)
      return moveBalance(env, asset, from, to, amount)
    }),
    approve: entryPoint({ from: 'address', spender: 'address', amount: 'i128', live_until_ledger: 'u32' }, 'void', (env, args) => {
      const [from, spender, amount, liveUntil] = [asAddress(args[0]), asAddress(args[1]), readAmount(args[2]), asU32(args[3])]
      env.requireAuth(from)
      writeAllowance(env, from, spender, { amount, live_until_ledger: liveUntil })
      env.emit([symbol('approve'), address(from), address(spender), text(asset.name)], vec(i128(amount), u32(liveUntil)))
      return VOID
    }),
    burn: entryPoint({ from: 'address', amount: 'i128' }, 'void', (env, args) => {
      const [from, amount] = [asAddress(args[0]), readAmount(args[1])]
      rejectNativeAndIssuer(asset, from)
      env.requireAuth(from)
      balances.spend(env, from, amount)
      return emitAmount(env, asset, 'burn', [from], amount)
    }),
    burn_from: entryPoint({ spender: 'address', from: 'address', amount: 'i128' }, 'void', (env, args) => {
      const [spender, from, amount] = [asAddress(args[0]), asAddress(args[1]), readAmount(args[2])]
      rejectNativeAndIssuer(asset, from)
      env.requireAuth(spender)
      spendAllowance(env, from, spender, amount)
      balances.spend(env, from, amount)
      return emitAmount(env, asset, 'burn', [from], amount)
    }),
  }
}

function administrationEntryPoints(asset: Asset): Record<string, EntryPoint> {
  const { balances } = asset
  return {
    mint: entryPoint({ to: 'address', amount: 'i128' }, 'void', (env, args) => {
      const [to, amount] = [asAddress(args[0]), readAmount(args[1])]
      if (to === asset.issuer) fail(NOT_SUPPORTED)
      env.requireAuth(readAdmin(env, asset))
      balances.receive(env, to, amount)
      return emitAmount(env, asset, 'mint', [to], amount)
    }),
    clawback: entryPoint({ from: 'address', amount: 'i128' }, 'void', (env, args) => {
      const [from, amount] = [asAddress(args[0]), readAmount(args[1])]
      balances.requireClawback(env, from)
      env.requireAuth(readAdmin(env, asset))
      balances.spend(env, from, amount)
      return emitAmount(env, asset, 'clawback', [from], amount)
    }),
    set_authorized: entryPoint({ id: 'address', authorize: 'bool' }, 'void', (env, args) => {
      const [id, authorize] = [asAddress(args[0]), asBool(args[1])]
      env.requireAuth(readAdmin(env, asset))
      balances.setAuthorized(env, id, authorize)
      env.emit([symbol('set_authorized'), address(id), text(asset.name)], bool(authorize))
      return VOID
    }),
    set_admin: entryPoint({ new_admin: 'address' }, 'void', (env, args) => {
      const admin = readAdmin(env, asset)
      env.requireAuth(admin)
      env.set('instance', ADMIN, address(asAddress(args[0])))
      env.emit([symbol('set_admin'), address(admin), text(asset.name)], address(asAddress(args[0])))
      return VOID
    }),
  }
}

/** Reads an amount argument. Fails with 8 for a negative amount, before any other check. */
function readAmount(val: Val | undefined): bigint {
  const amount = asI128(val)
  if (amount < 0n) fail(NEGATIVE_AMOUNT)
  return amount
}

/** Moves a balance and emits the event: a mint if the issuer sends, a burn if it receives. */
function moveBalance(env: ContractEnv, asset: Asset, from: string, to: string, amount: bigint): Val {
  asset.balances.spend(env, from, amount)
  asset.balances.receive(env, to, amount)
  if (from !== to && from === asset.issuer) return emitAmount(env, asset, 'mint', [to], amount)
  if (from !== to && to === asset.issuer) return emitAmount(env, asset, 'burn', [from], amount)
  return emitAmount(env, asset, 'transfer', [from, to], amount)
}

function emitAmount(env: ContractEnv, asset: Asset, event: string, parties: readonly string[], amount: bigint): Val {
  env.emit([symbol(event), ...parties.map(address), text(asset.name)], i128(amount))
  return VOID
}

/** The admin is the issuer until it sets another. The native asset has no admin. */
function readAdmin(env: ContractEnv, asset: Asset): string {
  if (asset.issuer === null) return fail(NOT_SUPPORTED)
  const admin = env.get('instance', ADMIN)
  return admin === undefined ? asset.issuer : asAddress(admin)
}

function rejectNativeAndIssuer(asset: Asset, holder: string): void {
  if (asset.issuer === null || holder === asset.issuer) fail(NOT_SUPPORTED)
}
