// A manifest describes one deployment of the exchange: its network, contracts and assets. docs/deployments.md documents the format.

import { isContractAddress } from '../base/strkey.ts'
import type { Asset } from '../exchange/assets.ts'
import { CONTRACT_ALIASES, CONTRACT_KEYS } from '../exchange/contracts/contracts.ts'
import type { ContractAddresses, ContractKey } from '../exchange/contracts/contracts.ts'
import { GENERATIONS } from '../exchange/contracts/generations.ts'
import type { Generation } from '../exchange/contracts/generations.ts'
import { scanJson } from './json-scan.ts'

export const MANIFEST_NETWORKS = ['testnet', 'mainnet', 'custom'] as const
export type ManifestNetwork = (typeof MANIFEST_NETWORKS)[number]

export interface Manifest {
  /** The file's name without `.json`. */
  readonly name: string
  readonly network: ManifestNetwork
  readonly passphrase: string
  /** May contain keys of a provider. Do not log them. */
  readonly rpcUrls: readonly string[]
  readonly friendbotUrl: string | null
  /** Time at which the contracts were deployed: an ISO 8601 date, or date and time, in UTC. Text order is time order. */
  readonly since: string
  /** Applies until the contracts' interfaces have been read from the chain. */
  readonly generation: Generation
  readonly contracts: ContractAddresses
  /** In listing order. */
  readonly assets: readonly Asset[]
}

/** A valid file. What is null is not known yet. */
export interface ManifestDraft {
  readonly name: string
  readonly network: ManifestNetwork
  readonly passphrase: string
  readonly rpcUrls: readonly string[] | null
  readonly friendbotUrl: string | null
  readonly since: string | null
  readonly generation: Generation | null
  readonly contracts: Readonly<Record<ContractKey, string | null>>
  readonly assets: readonly Asset[] | null
}

/** Values that the environment sets instead of the manifest. */
export interface ManifestOverrides {
  readonly rpcUrls: readonly string[] | null
  readonly contracts: Readonly<Partial<Record<ContractKey, string>>>
}

const ALIASES: ReadonlyMap<string, ContractKey> = new Map(Object.entries(CONTRACT_ALIASES))

/** The source of signed prices, in manifests of the deployed service. The gateway does not call it. */
const UNUSED_CONTRACT = 'noeracle'

export const PASSPHRASES = {
  testnet: 'Test SDF Network ; September 2015',
  mainnet: 'Public Global Stellar Network ; September 2015',
} as const satisfies Readonly<Partial<Record<ManifestNetwork, string>>>

const RPC_URLS_MAX = 16
const ASSETS_MAX = 64
const DECIMALS_MAX = 18
const TEXT_MAX = 100
const PROBLEMS_MAX = 100

/** Parses the text of a manifest. `problems` lists all of them, by path, without values: URLs may contain keys. */
export function parseManifest(name: string, json: string): { readonly draft: ManifestDraft | null; readonly problems: readonly string[] } {
  const { errorAt, duplicates } = scanJson(json)
  if (errorAt !== null) return { draft: null, problems: [`not valid JSON (${describePosition(json, errorAt)})`] }
  const content: unknown = JSON.parse(json)
  const problems = duplicates.map((path) => `${path}: written twice`)
  const draft = readManifest(name, content, problems)
  if (problems.length > PROBLEMS_MAX) problems.splice(PROBLEMS_MAX, Infinity, 'and more')
  return problems.length === 0 ? { draft, problems } : { draft: null, problems }
}

/** A complete manifest, or what is missing. */
export function completeManifest(
  draft: ManifestDraft, overrides: ManifestOverrides,
): { readonly manifest: Manifest | null; readonly missing: readonly string[] } {
  const contracts = { ...draft.contracts, ...overrides.contracts }
  const { since, generation, assets } = draft
  const rpcUrls = overrides.rpcUrls ?? draft.rpcUrls
  const missing = [
    ...(rpcUrls === null ? ['rpcUrls (or set RPC_URL)'] : []),
    ...Object.entries({ since, generation, assets }).filter(([, value]) => value === null).map(([member]) => member),
    ...CONTRACT_KEYS.filter((key) => contracts[key] === null).map((key) => `contracts.${key}`),
  ]
  if (rpcUrls === null || since === null || generation === null || assets === null || missing.length > 0) return { manifest: null, missing }
  return { manifest: { ...draft, rpcUrls, since, generation, assets, contracts: contracts as ContractAddresses }, missing }
}

/** Null for an invalid value, after reporting it, and for an absent one, which is reported elsewhere. */
type Check<Value> = (value: unknown, path: string, problems: string[]) => Value | null

function readManifest(name: string, content: unknown, problems: string[]): ManifestDraft | null {
  const members = readObject(content, '', { required: MEMBERS, optional: ['friendbotUrl'] }, problems)
  if (members === null) return null
  const network = choice(MANIFEST_NETWORKS)(members['network'], 'network', problems)
  const passphrase = text(members['passphrase'], 'passphrase', problems)
  const known = network === 'testnet' || network === 'mainnet' ? PASSPHRASES[network] : undefined
  if (known !== undefined && passphrase !== null && passphrase !== known) problems.push(`passphrase: the passphrase of ${network} is "${known}"`)
  const draft = {
    name,
    rpcUrls: nullable(list(url, RPC_URLS_MAX))(members['rpcUrls'], 'rpcUrls', problems),
    friendbotUrl: nullable(url)(members['friendbotUrl'] ?? null, 'friendbotUrl', problems),
    since: nullable(since)(members['since'], 'since', problems),
    generation: nullable(choice(GENERATIONS))(members['generation'], 'generation', problems),
    contracts: readContracts(members['contracts'], problems),
    assets: nullable(list(readAsset, ASSETS_MAX))(members['assets'], 'assets', problems),
  }
  reportDuplicates(draft.assets ?? [], problems)
  return network === null || passphrase === null ? null : { ...draft, network, passphrase }
}

const MEMBERS = ['network', 'passphrase', 'rpcUrls', 'since', 'generation', 'contracts', 'assets'] as const

/** Every contract, under its name or its alias. Null: not known yet. */
function readContracts(value: unknown, problems: string[]): Readonly<Record<ContractKey, string | null>> {
  const result: Record<string, string | null> = Object.fromEntries(CONTRACT_KEYS.map((key) => [key, null]))
  const content = asObject(value, 'contracts', problems)
  if (content === null) return result as Record<ContractKey, string | null>
  const named = new Map<string, string>()
  const paths = new Map<string, string>()
  for (const [member, item] of Object.entries(content)) {
    const path = `contracts.${member}`
    const key = ALIASES.get(member) ?? member
    if (member !== UNUSED_CONTRACT && !(CONTRACT_KEYS as readonly string[]).includes(key)) {
      problems.push(`${path}: unknown member`)
      continue
    }
    const other = named.get(key)
    if (other !== undefined) problems.push(`${path}: the same contract as ${other}`)
    named.set(key, path)
    const address = nullable(contractAddress)(item, path, problems)
    if (address === null) continue
    const samePath = paths.get(address)
    if (samePath !== undefined && other === undefined) problems.push(`${path}: the same address as ${samePath}`)
    paths.set(address, path)
    if (member !== UNUSED_CONTRACT) result[key] = address
  }
  for (const key of CONTRACT_KEYS) if (!named.has(key)) problems.push(`contracts.${key}: missing (null if it is not known yet)`)
  return result as Record<ContractKey, string | null>
}

const readAsset: Check<Asset> = (value, path, problems) => {
  const members = readObject(value, path, { required: ['symbol', 'name', 'decimals', 'klinesPair'], optional: [] }, problems)
  if (members === null) return null
  const symbol = matching(/^[A-Z][A-Z0-9]{0,8}$/, 'an upper-case symbol of at most 9 letters and digits')(members['symbol'], `${path}.symbol`, problems)
  const name = text(members['name'], `${path}.name`, problems)
  const decimals = integer(0, DECIMALS_MAX)(members['decimals'], `${path}.decimals`, problems)
  const pair = matching(/^[A-Z0-9]{2,20}$/, 'the name of a pair, such as BTCUSDT, or null')
  const klinesPair = nullable(pair)(members['klinesPair'], `${path}.klinesPair`, problems)
  return symbol === null || name === null || decimals === null ? null : { symbol, name, decimals, klinesPair }
}

function reportDuplicates(assets: readonly Asset[], problems: string[]): void {
  const seen = new Set<string>()
  for (const { symbol } of assets) {
    if (seen.has(symbol)) problems.push(`assets: ${symbol} is listed twice`)
    seen.add(symbol)
  }
}

/** The members of an object; reports unknown and missing ones. */
function readObject(
  value: unknown, path: string, members: { readonly required: readonly string[]; readonly optional: readonly string[] }, problems: string[],
): Readonly<Record<string, unknown>> | null {
  const content = asObject(value, path, problems)
  if (content === null) return null
  const prefix = path === '' ? '' : `${path}.`
  for (const member of Object.keys(content)) {
    if (![...members.required, ...members.optional].includes(member)) problems.push(`${prefix}${member}: unknown member`)
  }
  for (const member of members.required) if (!Object.hasOwn(content, member)) problems.push(`${prefix}${member}: missing`)
  return content
}

function asObject(value: unknown, path: string, problems: string[]): Readonly<Record<string, unknown>> | null {
  if (value === undefined) return null
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Readonly<Record<string, unknown>>
  problems.push(`${path === '' ? 'the file' : path}: must be an object`)
  return null
}

function expect<Value>(expected: string, accepts: (value: unknown) => value is Value): Check<Value> {
  return (value, path, problems) => {
    if (value === undefined) return null
    if (accepts(value)) return value
    problems.push(`${path}: must be ${expected}`)
    return null
  }
}

function expectText(expected: string, accepts: (value: string) => boolean): Check<string> {
  return expect(expected, (value): value is string => typeof value === 'string' && accepts(value))
}

const text = expectText(`text of 1 to ${TEXT_MAX} characters`, (value) => value.trim() !== '' && value.length <= TEXT_MAX)
const url = expectText('a URL that starts with https:// or http://', (value) => URL.canParse(value) && ['https:', 'http:'].includes(new URL(value).protocol))
const contractAddress = expectText('a contract address: C and 55 more characters, with a valid checksum', isContractAddress)
const since = expectText('a date such as 2026-07-21, or a time in UTC such as 2026-07-21T02:28:24Z', isTime)

function matching(pattern: RegExp, expected: string): Check<string> {
  return expectText(expected, (value) => pattern.test(value))
}

function integer(min: number, max: number): Check<number> {
  const accepts = (value: unknown): value is number => Number.isInteger(value) && (value as number) >= min && (value as number) <= max
  return expect(`an integer from ${min} to ${max}`, accepts)
}

function choice<const Choice extends string>(choices: readonly Choice[]): Check<Choice> {
  return expect(`one of ${choices.join(', ')}`, (value): value is Choice => (choices as readonly unknown[]).includes(value))
}

function nullable<Value>(check: Check<Value>): Check<Value> {
  return (value, path, problems) => (value === null ? null : check(value, path, problems))
}

function list<Value>(check: Check<Value>, max: number): Check<readonly Value[]> {
  return (value, path, problems) => {
    if (value === undefined) return null
    if (!Array.isArray(value) || value.length === 0 || value.length > max) {
      problems.push(`${path}: must be a list of 1 to ${max}`)
      return null
    }
    return value.map((item, index) => check(item, `${path}[${index}]`, problems)).filter((item) => item !== null)
  }
}

function isTime(value: string): boolean {
  if (!/^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}:\d{2}Z)?$/.test(value)) return false
  const time = new Date(value)
  return !Number.isNaN(time.getTime()) && time.toISOString().startsWith(value.replace('Z', ''))
}

function describePosition(content: string, offset: number): string {
  const lines = content.slice(0, offset).split('\n')
  return `line ${lines.length}, column ${(lines.at(-1)?.length ?? 0) + 1}`
}
