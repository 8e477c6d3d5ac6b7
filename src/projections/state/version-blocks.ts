// Versions of sums: what they were after each position of the log. A row holds a block of them, because a row and an index entry for each version cost more
// than its values. A block holds the versions of a fixed range of seqs. So blocks depend neither on how the log is divided into pages nor on when a version
// became known, and a version that is added or removed changes no other block.

import { sql } from '../../store/sql.ts'
import type { Sql } from '../../store/sql.ts'
import { idx } from '../../store/tables.ts'

/** A table of versions: the columns of its key, `from_seq` (where the range begins), `seqs` (ascending), and an array per value, in the order of `seqs`. */
export interface VersionTable {
  /** Without its schema. */
  readonly name: 'trader_total_versions' | 'interest_versions'
  /** Columns of the primary key besides `from_seq`. */
  readonly key: readonly string[]
  /** The columns with the values, each with the name of one value. */
  readonly values: Readonly<Record<string, string>>
  /**
   * The number of seqs in the range of a block. In a dense history a block then has some tens of versions: few rows, most of them below the 2 kB from which
   * the database compresses a row.
   */
  readonly width: number
}

export const TOTAL_VERSIONS: VersionTable = {
  name: 'trader_total_versions', key: [], values: { traders: 'traders', volumes: 'volume', trades: 'trades' }, width: 128,
}

/** Only some of the trades are of one asset, so the range is longer. */
export const INTEREST_VERSIONS: VersionTable = {
  name: 'interest_versions', key: ['contract_epoch', 'asset'],
  values: { long_sizes: 'long_size', short_sizes: 'short_size', positions: 'positions' }, width: 1_024,
}

export const VERSION_TABLES: readonly VersionTable[] = [TOTAL_VERSIONS, INTEREST_VERSIONS]

/** The part of a block that is among given versions: from the one with number `first` up to and including `last`, counted from one. */
export interface BlockPart {
  readonly fromSeq: number
  readonly first: number
  last: number
}

/** Divides versions that follow `skipped` others, in the order of their seqs, into blocks. */
export function divideIntoBlocks(versions: readonly { readonly seq: number }[], { width }: VersionTable, skipped = 0): readonly BlockPart[] {
  const parts: BlockPart[] = []
  for (const [index, { seq }] of versions.entries()) {
    const fromSeq = seq - (seq % width)
    const number = skipped + index + 1
    const part = parts.at(-1)
    if (part?.fromSeq === fromSeq) part.last = number
    else parts.push({ fromSeq, first: number, last: number })
  }
  return parts
}

/** SQL: where the block of a seq begins. */
export function blockOf({ width }: Pick<VersionTable, 'width'>, seq: Sql): Sql {
  return sql`(${seq} - ${seq} % ${width})`
}

/** SQL that sets the arrays of a block `t`. `array` returns the new array of a column. */
export function setArrays({ values }: VersionTable, array: (column: string) => string): Sql {
  return sql.join(['seqs', ...Object.keys(values)].map((column) => `${column} = ${array(column)}`), ', ')
}

/** SQL for `on conflict`: adds new versions to the end of a block `t`. */
export function appendArrays(table: VersionTable): Sql {
  return sql`do update set ${setArrays(table, (column) => `t.${column} || excluded.${column}`)}`
}

/** SQL: the last version up to a seq; no row when there is none. `key` is the condition on the key of a block `w`. */
export function versionAt({ name, values }: VersionTable, seq: Sql, key: Sql = sql`true`): Sql {
  const columns = Object.entries(values).map(([column, value]) => `b.${column}[b.version] as ${value}`)
  // The last block may begin after the seq, though its range does not.
  return sql`select ${sql.join(columns, ', ')} from (select w.*, width_bucket(${seq}, w.seqs) as version from ${idx[name]} w
    where ${key} and w.from_seq <= ${seq} and w.seqs[1] <= ${seq} order by w.from_seq desc limit 1) b`
}
