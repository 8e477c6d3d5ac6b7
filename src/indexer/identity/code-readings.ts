// The code of the watched contracts as nodes report it now, and how far nodes agree about it. An owner can change the entry that a reference names without any
// event, so what a single node says is not enough for an upgrade (docs/decisions/external-executables.md).

import { readContractInstances, tagKeyOf } from '../../chain/codec/contract-code.ts'
import type { TagEntries } from '../../chain/codec/contract-code.ts'
import { describeReference } from '../../chain/codec/executable.ts'
import type { CodeReference, Executable } from '../../chain/codec/executable.ts'
import { RpcFailure } from '../../chain/rpc/failure.ts'
import type { CallOptions } from '../../chain/rpc/rpc-request.ts'
import type { Rpc } from '../../chain/rpc/rpc.ts'
import type { ContractKey } from '../../exchange/contracts/contracts.ts'
import type { ContractVersion } from '../../projections/state/contract-versions.ts'
import type { NewerForm } from '../../projections/state/newer-forms.ts'

/** The code behind an executable, as versions store it. */
export type CodeIdentity = Pick<ContractVersion, 'wasmHash' | 'problem' | 'reference'>

/**
 * The code of an executable that was announced at a ledger; null: a built-in contract. What an entry of today says about a reference of that ledger is certain
 * only if the entry has not changed since.
 */
export function codeAt(executable: Executable, ledger: number, tags: TagEntries): CodeIdentity | null {
  if (executable.kind !== 'reference') return codeNow(executable, tags)
  const now = codeNow(executable, tags)
  const changed = tags.get(tagKeyOf(executable))?.lastModifiedLedger ?? 0
  if (changed <= ledger) return now
  return { ...referenceIn(executable), wasmHash: null, problem: `${describeReference(executable)}: the code that it named at ledger ${ledger} was not read` }
}

function codeNow(executable: Executable, tags: TagEntries): CodeIdentity | null {
  switch (executable.kind) {
    case 'asset':
      return null
    case 'wasm':
      return { wasmHash: executable.wasmHash, problem: null, reference: null }
    case 'newer':
      return { wasmHash: null, problem: executable.error.message, reference: null }
    case 'reference': {
      const entry = tags.get(tagKeyOf(executable))
      if (entry !== undefined) return { ...referenceIn(executable), wasmHash: entry.wasmHash, problem: null }
      return { ...referenceIn(executable), wasmHash: null, problem: `${describeReference(executable)}: found no entry with the hash of code` }
    }
  }
}

function referenceIn({ owner, tag }: CodeReference): Pick<CodeIdentity, 'reference'> {
  return { reference: { owner, tag } }
}

/** The code of one contract at the ledger of a reading. */
export interface CodeReading extends CodeIdentity {
  readonly address: string
  readonly contract: ContractKey
  /** The ledger in which the instance last changed. */
  readonly instanceLedger: number
  /** The ledger in which the entry of its reference last changed; null: there is no such entry. */
  readonly tagLedger: number | null
  /** The kind of executable that this version of the gateway does not know; null for all others. */
  readonly newer: NewerForm | null
}

/** The code of the watched contracts that have an instance and are not built-in, and the ledger at which it was read. Rejects with RpcFailure. */
export async function readCodes(
  rpc: Rpc, watched: ReadonlyMap<string, ContractKey>, call: CallOptions,
): Promise<{ readonly ledger: number; readonly codes: readonly CodeReading[] }> {
  const { ledger, instances, tags } = await readContractInstances(rpc, [...watched.keys()], call)
  const codes: CodeReading[] = []
  for (const [address, { executable, lastModifiedLedger }] of instances) {
    const [contract, code] = [watched.get(address), codeNow(executable, tags)]
    if (contract === undefined || code === null) continue
    const tagLedger = executable.kind === 'reference' ? tags.get(tagKeyOf(executable))?.lastModifiedLedger ?? null : null
    const newer = executable.kind === 'newer' ? { what: executable.error.what, ledger: lastModifiedLedger, xdr: null } : null
    codes.push({ address, contract, ...code, instanceLedger: lastModifiedLedger, tagLedger, newer })
  }
  return { ledger, codes }
}

/** `agreed`: two nodes report this code. `disputed`: a node that has reached the ledger reports other code. `open`: there is no second opinion. */
export type Agreement = 'agreed' | 'disputed' | 'open'

/** Reads from every node, and compares. Nodes that do not respond, lag, or have no such contract have no opinion. */
export async function askAllNodes(
  rpc: Rpc, watched: ReadonlyMap<string, ContractKey>, { ledger, codes, call }: {
    readonly ledger: number
    readonly codes: readonly CodeReading[]
    readonly call: CallOptions
  },
): Promise<ReadonlyMap<CodeReading, Agreement>> {
  if (rpc.endpoints < 2 || codes.length === 0) return new Map()
  const opinions = await Promise.all(Array.from({ length: rpc.endpoints }, async (_, endpoint) => {
    try {
      return await readCodes(rpc, watched, { ...call, endpoint })
    } catch (error) {
      if (error instanceof RpcFailure) return undefined
      throw error
    }
  }))
  return new Map(codes.map((code): [CodeReading, Agreement] => {
    const reached = opinions.filter((opinion) => opinion !== undefined && opinion.ledger >= (code.wasmHash === null ? ledger : changedAt(code)))
    const hashes = reached.flatMap((opinion) => opinion?.codes.filter(({ address }) => address === code.address).map(({ wasmHash }) => wasmHash) ?? [])
    const agreeing = hashes.filter((hash) => hash === code.wasmHash).length
    return [code, agreeing >= 2 ? 'agreed' : agreeing < hashes.length ? 'disputed' : 'open']
  }))
}

/** A ledger at which the contract certainly ran this code. */
function changedAt({ instanceLedger, tagLedger }: CodeReading): number {
  return Math.max(instanceLedger, tagLedger ?? 0)
}

/**
 * The ledger from which on a contract ran this code at the latest, of which `inForce` is the version before. When both come from the same reference, the
 * instance did not change, and only the ledger of the entry counts.
 */
export function sinceLedger(code: CodeReading, inForce: ContractVersion | undefined, readAt: number): number {
  if (code.reference === null) return code.instanceLedger
  if (code.tagLedger === null) return readAt
  const isSameReference = inForce?.reference?.owner === code.reference.owner && inForce.reference.tag === code.reference.tag
  return isSameReference ? code.tagLedger : changedAt(code)
}
