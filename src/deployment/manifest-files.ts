// Finds and reads the manifests that the settings select.

import { accessSync, closeSync, constants, fstatSync, openSync, readFileSync, readdirSync, statSync } from 'node:fs'
import { basename, join } from 'node:path'
import type { ContractKey } from '../exchange/contracts/contracts.ts'
import { completeManifest, parseManifest } from './manifest.ts'
import type { Manifest, ManifestDraft, ManifestNetwork, ManifestOverrides } from './manifest.ts'

const FILE_BYTES_MAX = 64 * 1024
const FILES_MAX = 1_000
const EXTENSION = '.json'

export interface DeploymentChoice {
  readonly folder: string
  /** Names of files in the folder, or paths. The first is served. Empty: the newest deployment of `network`. */
  readonly names: readonly string[]
  /** Null: the network of the first manifest. Not null if `names` is empty. */
  readonly network: ManifestNetwork | null
  readonly rpcUrls: readonly string[] | null
  /** Contracts of the served deployment that the environment sets. */
  readonly contracts: Readonly<Partial<Record<ContractKey, string>>>
}

export interface SelectedDeployments {
  readonly served: Manifest
  /** Deployments of the same network that are indexed too. */
  readonly others: readonly Manifest[]
}

export type Selection =
  | { readonly kind: 'selected'; readonly deployments: SelectedDeployments }
  | { readonly kind: 'invalid'; readonly problems: readonly string[] }

/** The files whose change can change the selection. */
export function watchedFiles({ folder, names, network }: DeploymentChoice): readonly string[] {
  return names.length > 0 ? names.map((name) => fileOf(folder, name)) : candidates(folder, network)
}

/** Reads the selected manifests. What is served is complete and of one network; otherwise every problem is listed. */
export function selectDeployments(choice: DeploymentChoice): Selection {
  return choice.names.length > 0 ? selectNamed(choice) : selectNewest(choice)
}

function selectNamed({ folder, names, network, rpcUrls, contracts }: DeploymentChoice): Selection {
  const problems: string[] = []
  const manifests: Manifest[] = []
  for (const [index, name] of names.entries()) {
    const file = fileOf(folder, name)
    const draft = readDraft(file, problems)
    const manifest = draft === null ? null : complete(file, draft, { rpcUrls, contracts: index === 0 ? contracts : {} }, problems)
    if (manifest !== null) manifests.push(manifest)
  }
  const [served, ...others] = manifests
  if (served !== undefined && problems.length === 0) problems.push(...findConflicts(served, others, network))
  return served === undefined || problems.length > 0 ? { kind: 'invalid', problems } : { kind: 'selected', deployments: { served, others } }
}

/** The newest of `<network>.json` and `<network>-<date>.json`. A template without `since` is older than every other manifest. */
function selectNewest({ folder, network, rpcUrls, contracts }: DeploymentChoice): Selection {
  const problems: string[] = []
  const unreadable = findFolderProblem(folder)
  if (unreadable !== undefined) return { kind: 'invalid', problems: [`${folder}: cannot be read (${unreadable})`] }
  const files = candidates(folder, network)
  const drafts = files.flatMap((file) => {
    const draft = readDraft(file, problems)
    if (draft === null) return []
    if (draft.network !== network) problems.push(`${file}: network: is ${draft.network}, but files with this name describe ${network}`)
    return [{ file, draft }]
  })
  if (files.length === 0) problems.push(`${folder} has no manifest of ${network}: add ${network}.json, or set DEPLOYMENT`)
  const since = ({ draft }: (typeof drafts)[number]): string => draft.since ?? ''
  const [newest, second] = drafts.toSorted((a, b) => (since(a) < since(b) ? 1 : since(a) > since(b) ? -1 : 0))
  if (newest !== undefined && second !== undefined && since(newest) === since(second)) {
    problems.push(`${newest.file} and ${second.file} have the same since: set DEPLOYMENT`)
  }
  const served = newest === undefined ? null : complete(newest.file, newest.draft, { rpcUrls, contracts }, problems)
  return served === null || problems.length > 0 ? { kind: 'invalid', problems } : { kind: 'selected', deployments: { served, others: [] } }
}

function findConflicts(served: Manifest, others: readonly Manifest[], network: ManifestNetwork | null): readonly string[] {
  const problems: string[] = []
  if (network !== null && served.network !== network) {
    problems.push(`DEPLOYMENT: ${served.name} is a deployment on ${served.network}, but NETWORK is ${network}`)
  }
  const markets = new Map([[served.contracts.market, served.name]])
  for (const { name, passphrase, contracts: { market } } of others) {
    const same = markets.get(market)
    if (passphrase !== served.passphrase) problems.push(`DEPLOYMENT: ${name} is on another network than ${served.name}`)
    else if (same !== undefined) problems.push(`DEPLOYMENT: ${name} has the same market as ${same}`)
    else markets.set(market, name)
  }
  if (new Set([served, ...others].map(({ name }) => name)).size <= others.length) problems.push('DEPLOYMENT: two files have the same name')
  return problems
}

function complete(file: string, draft: ManifestDraft, overrides: ManifestOverrides, problems: string[]): Manifest | null {
  const { manifest, missing } = completeManifest(draft, overrides)
  if (missing.length > 0) problems.push(`${file} is incomplete, because these are not known yet: ${missing.join(', ')}. Complete it, or select another one`)
  return manifest
}

/** A name of a file in the folder, or a path. */
function fileOf(folder: string, name: string): string {
  return /[/\\]/.test(name) || name.endsWith(EXTENSION) ? name : join(folder, `${name}${EXTENSION}`)
}

/** Manifests that describe the network itself, and not a staging deployment. */
function candidates(folder: string, network: ManifestNetwork | null): readonly string[] {
  const pattern = new RegExp(`^${network}(-\\d{4}-\\d{2}-\\d{2})?\\${EXTENSION}$`)
  return listFolder(folder).filter((name) => pattern.test(name)).sort().slice(0, FILES_MAX).map((name) => join(folder, name))
}

function listFolder(folder: string): readonly string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}

function findFolderProblem(folder: string): string | undefined {
  try {
    accessSync(folder, constants.R_OK | constants.X_OK)
    return statSync(folder).isDirectory() ? undefined : 'not a folder'
  } catch (cause) {
    return String((cause as { code?: unknown }).code)
  }
}

function readDraft(file: string, problems: string[]): ManifestDraft | null {
  const content = readText(file)
  const parsed = 'problem' in content ? { draft: null, problems: [content.problem] } : parseManifest(basename(file, EXTENSION), content.text)
  problems.push(...parsed.problems.map((problem) => `${file}: ${problem}`))
  return parsed.draft
}

function readText(file: string): { readonly text: string } | { readonly problem: string } {
  let descriptor: number | undefined
  try {
    // A pipe would block without O_NONBLOCK; it is not a regular file.
    descriptor = openSync(file, constants.O_RDONLY | constants.O_NONBLOCK)
    const stats = fstatSync(descriptor)
    if (!stats.isFile()) return { problem: 'not a file' }
    if (stats.size > FILE_BYTES_MAX) return { problem: `larger than ${FILE_BYTES_MAX} bytes` }
    return { text: readFileSync(descriptor, 'utf8') }
  } catch (cause) {
    return { problem: `cannot be read (${String((cause as { code?: unknown }).code)})` }
  } finally {
    if (descriptor !== undefined) closeSync(descriptor)
  }
}
