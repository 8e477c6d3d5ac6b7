// Text tables: aligned columns, and no control characters that a terminal would interpret.

import { displayText } from '../display.ts'

/** A table's column. `point` aligns numbers at their decimal point. */
export interface Column<Row> {
  readonly title: string
  readonly align?: 'left' | 'right' | 'point'
  text(row: Row): string | number | null | undefined
}

const GAP = '  '
const UNKNOWN = '–'

/** A table with a title line, or `empty` without rows. Ends with a line break. */
export function table<Row>(columns: readonly Column<Row>[], rows: readonly Row[], empty: string): string {
  if (rows.length === 0) return `${empty}\n`
  const cells = columns.map((column) => cellsOf(column, rows))
  const lines = [-1, ...rows.keys()].map((row) => cells.map((column) => column[row + 1] ?? '').join(GAP).trimEnd())
  return `${lines.join('\n')}\n`
}

/** The cells of a column, its title first, padded to one width. */
function cellsOf<Row>({ title, align = 'left', text }: Column<Row>, rows: readonly Row[]): string[] {
  const values = rows.map((row) => displayText(String(text(row) ?? UNKNOWN)))
  const decimals = (value: string): number => (align === 'point' && value.includes('.') ? value.length - value.indexOf('.') : 0)
  const maxDecimals = Math.max(...values.map(decimals))
  const aligned = values.map((value) => value + ' '.repeat(maxDecimals - decimals(value)))
  const width = Math.max(title.length, ...aligned.map((value) => value.length))
  return [title, ...aligned].map((value) => (align === 'left' ? value.padEnd(width) : value.padStart(width)))
}

/** Names and values, one pair per line. */
export function listing(entries: readonly (readonly [name: string, value: string | number | null | undefined])[]): string {
  const width = Math.max(...entries.map(([name]) => name.length))
  return entries.map(([name, value]) => `${name.padEnd(width)}${GAP}${displayText(String(value ?? UNKNOWN))}\n`).join('')
}

/** `GBX7RO…VAAS`: the ends suffice to distinguish addresses. */
export function shortAddress(address: string): string {
  return address.length > 12 ? `${address.slice(0, 6)}…${address.slice(-4)}` : address
}
