// The code that each contract ran, and from which position on the chain: what decodes its events, and what its operations are checked against.

import type { ContractKey } from '../../exchange/contracts/contracts.ts'
import { columns, expression } from '../../store/columns.ts'
import type { RowOf } from '../../store/columns.ts'
import { insertRows } from '../../store/insert-rows.ts'
import { sql } from '../../store/sql.ts'
import type { Queryable, Writable } from '../../store/store.ts'
import { idx } from '../../store/tables.ts'

/** NOTIFY channel for every change of the known code or versions. Notifications may be lost, so listeners must also read at intervals. */
export const CONTRACTS_CHANNEL = 'contracts_changed'

/** One version of a contract. */
export interface ContractVersion {
  readonly address: string
  /** Key of the contract in its deployment. */
  readonly contract: ContractKey
  /** Without `fromEventId` a bound: the code ran at this ledger at the latest. */
  readonly fromLedger: number
  /** The RPC's id of the event that reported the upgrade; null: unknown. */
  readonly fromEventId: string | null
  /** The last ledger at which the code before this upgrade was read; null: unknown, or an event reported the upgrade. */
  readonly afterLedger: number | null
  /** Lower-case hex; null: the code is unknown. */
  readonly wasmHash: string | null
  /** The reason why the code is unknown; null when it is known. */
  readonly problem: string | null
  /** The entry of another contract that named the code; null: the contract's own instance did. */
  readonly reference: { readonly owner: string; readonly tag: string } | null
  /** Null: not recognised, or the code could not be read. */
  readonly generation: string | null
  /** The position of the upgrade in the log; null for the first known version of a contract. */
  readonly seq: number | null
  /** Unix milliseconds. */
  readonly noticedAt: number
}

/** Code as it was read. Exactly one of spec and problem is null. */
export interface ContractCode {
  readonly wasmHash: string
  /** The declared interface, as JSON. */
  readonly spec: unknown
  /** The reason why there is no interface. */
  readonly problem: string | null
}

/** The members of a version whose code the contract's own instance names. */
export const OWN_CODE = { problem: null, reference: null, afterLedger: null } as const

const COLUMNS = columns(idx.contract_versions, 'v', {
  address: 'address', contract: expression<ContractKey>(sql`v.contract`), fromLedger: 'from_ledger',
  fromEventId: expression<string | null>(sql`nullif(v.from_event_id, '')`), afterLedger: 'after_ledger', wasmHash: 'wasm_hash', problem: 'problem',
  reference: expression<ContractVersion['reference']>(sql`case when v.owner is not null then jsonb_build_object('owner', v.owner, 'tag', v.tag) end`),
  generation: 'generation', seq: 'seq', noticedAt: 'noticed_at',
})

/** Every version on a chain, in the order of the chain. */
export async function listContractVersions(db: Queryable, chain: number): Promise<readonly ContractVersion[]> {
  const versions = await db.query(sql`select ${COLUMNS} from ${idx.contract_versions} v where v.chain = $1`, [chain])
  return versions.toSorted(comparePositions)
}

/** The versions of these contracts on the chain of a deployment, in the order of the chain. */
export async function readOwnVersions(db: Queryable, contractEpoch: number, addresses: readonly string[]): Promise<readonly ContractVersion[]> {
  const versions = await db.query(
    sql`select ${COLUMNS} from ${idx.contract_versions} v
     where v.chain = (select e.chain from ${idx.epochs} e where e.number = $1) and v.address = any($2::text[])`,
    [contractEpoch, addresses],
  )
  return versions.toSorted(comparePositions)
}

const CODE = columns(idx.contract_code, 'c', { wasmHash: 'wasm_hash', spec: 'spec', problem: 'problem' })
const DECLARED = columns(idx.contract_code, 'c', {
  wasmHash: 'wasm_hash', events: expression<unknown>(sql`c.spec->'events'`), structs: expression<unknown>(sql`c.spec->'structs'`),
})

/** The code of these hashes, as far as it was read. */
export async function readContractCode(db: Queryable, wasmHashes: readonly string[]): Promise<ReadonlyMap<string, ContractCode>> {
  const rows = await db.query(sql`select ${CODE} from ${idx.contract_code} c where c.wasm_hash = any($1::text[])`, [wasmHashes])
  return new Map(rows.map((row) => [row.wasmHash, row]))
}

/** The events that the code of a chain's contracts declares, with its structs, by its hash; only code that declares some events. */
export async function listDeclaredEvents(db: Queryable, chain: number): Promise<readonly RowOf<typeof DECLARED>[]> {
  return await db.query(
    sql`select ${DECLARED} from ${idx.contract_code} c
     where jsonb_array_length(c.spec->'events') > 0 and exists (select 1 from ${idx.contract_versions} v where v.chain = $1 and v.wasm_hash = c.wasm_hash)`,
    [chain],
  )
}

/** The position on the chain from which a version is in force: an event id, or the end of the ledger that bounds it. */
export function positionOf({ fromLedger, fromEventId }: Pick<ContractVersion, 'fromLedger' | 'fromEventId'>): string {
  return fromEventId ?? `${(((BigInt(fromLedger) + 1n) << 32n) - 1n).toString().padStart(19, '0')}-4294967295`
}

const CHAIN_ID_LENGTH = 30

/** The id of an archived event on its chain; epochs after the first append their name. */
export function chainEventId(eventId: string): string {
  return eventId.slice(0, CHAIN_ID_LENGTH)
}

function comparePositions(a: ContractVersion, b: ContractVersion): number {
  const [left, right] = [positionOf(a), positionOf(b)]
  return left < right ? -1 : left > right ? 1 : 0
}

/**
 * The version of a contract in force at an event, of its own versions in the order of the chain. Before the first known version, that one: the code before
 * it was never seen. Undefined: no version is known.
 */
export function versionAt(ownVersions: readonly ContractVersion[], eventId: string): ContractVersion | undefined {
  return ownVersions.findLast((version) => positionOf(version) <= eventId) ?? ownVersions[0]
}

/** The newest version of each contract, of versions in the order of the chain. */
export function latestVersions(versions: readonly ContractVersion[]): ReadonlyMap<string, ContractVersion> {
  return new Map(versions.map((version) => [version.address, version]))
}

/** Adds a version. One at the same position is replaced. */
export async function insertContractVersion(tx: Writable, chain: number, version: ContractVersion): Promise<void> {
  await insertRows(
    tx, idx.contract_versions, [version],
    {
      chain: { all: chain }, address: 'address', contract: 'contract', from_ledger: 'fromLedger', from_event_id: ({ fromEventId }) => fromEventId ?? '',
      wasm_hash: 'wasmHash', generation: 'generation', seq: 'seq', noticed_at: 'noticedAt', problem: 'problem',
      owner: ({ reference }) => reference?.owner ?? null, tag: ({ reference }) => reference?.tag ?? null, after_ledger: 'afterLedger',
    },
    sql`on conflict (chain, address, from_ledger, from_event_id) do update
      set wasm_hash = excluded.wasm_hash, problem = excluded.problem, owner = excluded.owner, tag = excluded.tag, generation = excluded.generation,
        seq = coalesce(contract_versions.seq, excluded.seq)`,
  )
  await notifyContractsChanged(tx)
}

export async function removeContractVersion(tx: Writable, chain: number, { address, fromLedger, fromEventId }: ContractVersion): Promise<void> {
  await tx.run(
    sql`${sql.deleteFrom(idx.contract_versions)} where chain = $1 and address = $2 and from_ledger = $3 and from_event_id = $4`,
    [chain, address, fromLedger, fromEventId ?? ''],
  )
}

/** Stores code that was read; an interface is never replaced by a problem. */
export async function storeContractCode(tx: Writable, { wasmHash, spec, problem }: ContractCode, nowMs: number): Promise<void> {
  await tx.run(
    sql`${sql.insertInto(idx.contract_code)} as c (wasm_hash, spec, problem, read_at) values ($1, $2::jsonb, $3, $4)
     on conflict (wasm_hash) do update set spec = excluded.spec, problem = excluded.problem, read_at = excluded.read_at where c.spec is null`,
    [wasmHash, spec === null ? null : JSON.stringify(spec), problem, nowMs],
  )
  await notifyContractsChanged(tx)
}

/** Names the generation of versions whose code was recognised after they were noticed. */
export async function setGeneration(tx: Queryable, wasmHash: string, generation: string | null): Promise<void> {
  const changed = await tx.query(
    sql`${sql.update(idx.contract_versions)} set generation = $2 where wasm_hash = $1 and generation is distinct from $2 returning 1`, [wasmHash, generation],
  )
  if (changed.length > 0) await notifyContractsChanged(tx)
}

async function notifyContractsChanged(tx: Queryable): Promise<void> {
  await tx.query('select pg_notify($1, $2)', [CONTRACTS_CHANNEL, ''])
}
