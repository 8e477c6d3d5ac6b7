// Tables for people: columns that line up, numbers at their points, and nothing in them that a terminal would obey.

/** How a column stands: `point` lines numbers up at their decimal point. */
export interface Column<Row> {
  readonly title: string
  readonly align?: 'left' | 'right' | 'point'
  text(row: Row): string | number | null | undefined
}

const GAP = '  '
/** What is not known. */
const UNKNOWN = '–'

/** Text from outside: without what moves a terminal's cursor, or hides something in it. */
export function plain(text: string): string {
  return text.replaceAll(/[\p{Cc}\p{Cf}\u2028\u2029]/gu, ' ')
}

/** A table with a line of titles; `empty` when there are no rows. Ends with a line's end. */
export function table<Row>(columns: readonly Column<Row>[], rows: readonly Row[], empty: string): string {
  if (rows.length === 0) return `${empty}\n`
  const cells = columns.map((column) => cellsOf(column, rows))
  const lines = [-1, ...rows.keys()].map((row) => cells.map((column) => column[row + 1] ?? '').join(GAP).trimEnd())
  return `${lines.join('\n')}\n`
}

/** The cells of one column, its title first, all of one width. */
function cellsOf<Row>({ title, align = 'left', text }: Column<Row>, rows: readonly Row[]): string[] {
  const values = rows.map((row) => plain(String(text(row) ?? UNKNOWN)))
  const behind = (value: string): number => (align === 'point' && value.includes('.') ? value.length - value.indexOf('.') : 0)
  const most = Math.max(...values.map(behind))
  const aligned = values.map((value) => value + ' '.repeat(most - behind(value)))
  const width = Math.max(title.length, ...aligned.map((value) => value.length))
  return [title, ...aligned].map((value) => (align === 'left' ? value.padEnd(width) : value.padStart(width)))
}

/** Names and values, one a line. */
export function listing(entries: readonly (readonly [name: string, value: string | number | null | undefined])[]): string {
  const width = Math.max(...entries.map(([name]) => name.length))
  return entries.map(([name, value]) => `${name.padEnd(width)}${GAP}${plain(String(value ?? UNKNOWN))}\n`).join('')
}

/** Unix seconds as `2026-11-22 04:19:39`, in UTC. */
export function timeOf(seconds: number | null | undefined): string | null {
  return seconds === null || seconds === undefined ? null : new Date(seconds * 1000).toISOString().replace('T', ' ').slice(0, 19)
}

/** `GBX7RO…VAAS`; addresses are 56 characters long, of which the ends tell them apart. */
export function shortAddress(address: string): string {
  return address.length > 12 ? `${address.slice(0, 6)}…${address.slice(-4)}` : address
}
