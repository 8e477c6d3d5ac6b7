// Describes a transaction for the user. The description comes only from the transaction that the client decoded, never from the form.

import { displayText } from '../client/src/index.ts'
import type { Authorization, CallTransaction, ContractAddresses, ContractValue } from '../client/src/index.ts'
import { findContractFunction, WORST_PRICE } from './contract-functions.ts'
import type { ContractFunction, Kind } from './contract-functions.ts'
import { amount, dateTime, percent, price, short } from './format.ts'

/** A transaction described for the user. */
export interface Explanation {
  /** One sentence. */
  readonly summary: string
  /** False for a function that this page does not know. */
  readonly isKnown: boolean
  /** Prices and least amounts that the transaction is bound to. */
  readonly bounds: readonly (readonly [name: string, value: string])[]
  /** Everything in the transaction. */
  readonly rows: readonly (readonly [name: string, value: string])[]
}

const BOUNDS: ReadonlySet<Kind> = new Set(['price', 'limit', 'percent', 'leastUsdc', 'leastLp', 'leastShares'])
const STROOPS_PER_XLM = 10_000_000
const UNITS: Readonly<Partial<Record<Kind, string>>> = {
  lp: 'LP tokens', shares: 'shares', leastUsdc: 'USDC', leastLp: 'LP tokens', leastShares: 'shares',
}

/** `contracts`: known addresses, so that contracts are shown by name. */
export function explain(transaction: CallTransaction, contracts: ContractAddresses | null): Explanation {
  const { call, authorizations } = transaction
  // Without known addresses, a function is taken for one of the market's.
  const contractName = contracts === null ? 'market' : nameIn(contracts, call.contract) ?? ''
  const known = findContractFunction(contractName, call.functionName)
  const hasSigner = known?.hasSigner ?? true
  const signer = hasSigner ? call.args[0] : undefined
  const rest = hasSigner ? call.args.slice(1) : call.args
  const args = rest.map((value, index) => describeValue(value, known?.args[index]?.[1]))
  const transfers = authorizations.flatMap(({ subCalls }) => subCalls)
  return {
    summary: known === undefined ? `Calls ${call.functionName}, which this page does not know. Check the arguments below.` : known.sentence(args),
    isKnown: known !== undefined,
    bounds: known === undefined ? [] : boundsOf(known, args),
    rows: [
      ['Account', `${transaction.source}${!hasSigner || signer?.value === transaction.source ? '' : `, for ${String(signer?.value)}`}`],
      ['Contract', nameOf(call.contract, contracts)],
      ['Function', call.functionName],
      ...args.map((text, index): [string, string] => [known?.args[index]?.[0] ?? `Argument ${index + (hasSigner ? 2 : 1)}`, text]),
      ['Authorizes', transfers.length === 0 ? 'no transfers' : transfers.map((transfer) => describeAuthorization(transfer, contracts)).join('; ')],
      ['Network fee', `at most ${(transaction.feeStroops / STROOPS_PER_XLM).toFixed(7)} XLM`],
      ['Valid until', dateTime(Number(transaction.maxTime))],
      ['Sequence number', String(transaction.sequence)],
    ],
  }
}

function boundsOf({ args: described, isUnbounded }: ContractFunction, args: readonly string[]): Explanation['bounds'] {
  const given = described.flatMap(([name, kind], index): [string, string][] => {
    const text = args[index]
    return text === undefined || !BOUNDS.has(kind) ? [] : [[name, text]]
  })
  const lacksBound = isUnbounded === true || (described.includes(WORST_PRICE) && given.every(([name]) => name !== WORST_PRICE[0]))
  return lacksBound ? [...given, [WORST_PRICE[0], 'none: the contracts take no bound here']] : given
}

function describeValue({ type, value }: ContractValue, kind: Kind | undefined): string {
  // Anyone can choose the texts on the chain.
  return (kind === undefined ? undefined : describeKnown(kind, type, value)) ?? displayText(String(value))
}

/** Undefined where the value is not of the type that its kind has. */
function describeKnown(kind: Kind, type: ContractValue['type'], value: ContractValue['value']): string | undefined {
  if (typeof value === 'bigint') return describeAmount(kind, value)
  if (typeof value === 'boolean') return describeFlag(kind, value)
  return typeof value === 'number' ? describeNumber(kind, value, type === 'u32') : undefined
}

function describeAmount(kind: Kind, value: bigint): string | undefined {
  if (kind === 'usdc') return `${amount(String(value))} USDC`
  if (kind === 'price') return price(String(value))
  if (kind === 'limit') return value === 0n ? 'none' : price(String(value))
  const unit = UNITS[kind]
  if (unit === undefined) return undefined
  return kind.startsWith('least') && value === 0n ? 'none' : `${exact(value)} ${unit}`
}

function describeFlag(kind: Kind, value: boolean): string | undefined {
  if (kind === 'condition') return value ? 'at or above' : 'at or below'
  return kind === 'paused' ? (value ? 'paused' : 'active') : undefined
}

function describeNumber(kind: Kind, value: number, isUnsigned: boolean): string | undefined {
  if (kind === 'percent') return percent(value)
  if (kind === 'leverage') return `${value}× leverage`
  if (!isUnsigned) return undefined
  if (kind === 'side') return value === 0 ? 'long' : value === 1 ? 'short' : `side ${value}`
  return kind === 'lifetime' ? (value === 0 ? 'until cancelled' : `time in force ${value}`) : undefined
}

/** A further call that the contract may make in the account's name, usually a token transfer. */
function describeAuthorization({ contract, functionName, args }: Authorization, contracts: ContractAddresses | null): string {
  const [, to, sum] = args
  if (functionName === 'transfer' && typeof sum?.value === 'bigint') {
    const unit = contract === contracts?.usdcToken ? 'USDC' : contract === contracts?.lpToken ? 'LP tokens' : `of token ${short(contract)}`
    return `${exact(sum.value)} ${unit} to ${nameOf(String(to?.value), contracts)}`
  }
  return `${functionName}(${args.map(({ value }) => displayText(String(value))).join(', ')}) on ${nameOf(contract, contracts)}`
}

function exact(value: bigint): string {
  return amount(String(value), 7).replace(/\.?0+$/, '')
}

function nameOf(address: string, contracts: ContractAddresses | null): string {
  const name = contracts === null ? undefined : nameIn(contracts, address)
  return name === undefined ? address : `${name} ${address}`
}

function nameIn(contracts: ContractAddresses, address: string): string | undefined {
  return Object.entries(contracts).find(([, each]) => each === address)?.[0]
}
