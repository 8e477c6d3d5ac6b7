// A table with a caption. On a phone each row becomes a card, unless the table is narrow enough to stay one.

import type { ComponentChildren } from 'preact'
import { Line } from './skeleton.tsx'

export interface Column<Row> {
  readonly title: string
  /** Aligned to the right. */
  readonly isNumeric?: boolean
  /** On a phone left out of a table that is not shown as cards. */
  readonly isMinor?: boolean
  /** Takes the whole width of a card, without its title. */
  readonly isWide?: boolean
  readonly cell: (row: Row) => ComponentChildren
}

export interface TableOptions<Row> {
  readonly caption: string
  readonly columns: readonly Column<Row>[]
  readonly rows: readonly Row[]
  /** Identifies a row over updates, so that focus and selection stay with it. */
  readonly keyOf: (row: Row) => string | number
  /** Shown instead of rows: what is missing, and what to do next. */
  readonly empty: ComponentChildren
  /** On a phone it stays a table, without its minor columns. */
  readonly isNarrow?: boolean
  /** Without rows because they were not read yet. */
  readonly isLoading?: boolean
}

/** The cells of the first column are row headers. The roles are explicit because elements that are no longer laid out as a table lose theirs. */
export function Table<Row>({ caption, columns, rows, keyOf, empty, isNarrow = false, isLoading = false }: TableOptions<Row>) {
  return (
    <div class='scroll' role='region' aria-label={caption} tabIndex={0}>
      <table role='table' class={isNarrow ? '' : 'cards'} aria-busy={isLoading && rows.length === 0}>
        <caption>{caption}</caption>
        <thead role='rowgroup'>
          <tr role='row'>{columns.map((column) => <th key={column.title} role='columnheader' scope='col' class={classOf(column)}>{column.title}</th>)}</tr>
        </thead>
        <tbody role='rowgroup'>
          {rows.map((row) => <TableRow key={keyOf(row)} row={row} columns={columns} />)}
          {rows.length === 0 && isLoading && LOADING_ROWS.map((row) => <LoadingRow key={`loading ${row}`} columns={columns} />)}
          {rows.length === 0 && !isLoading && <tr role='row'><td role='cell' colSpan={columns.length} class='empty'>{empty}</td></tr>}
        </tbody>
      </table>
    </div>
  )
}

const LOADING_ROWS = [0, 1, 2] as const

/** A row of the table's shape without its figures. */
function LoadingRow<Row>({ columns }: { readonly columns: readonly Column<Row>[] }) {
  return (
    <tr role='row' class='loading'>
      {columns.map((column, index) => (
        <td key={column.title} role='cell' class={classOf(column)}>{index === 0 && <span class='visually-hidden'>Loading…</span>}<Line /></td>
      ))}
    </tr>
  )
}

function TableRow<Row>({ row, columns }: { readonly row: Row; readonly columns: readonly Column<Row>[] }) {
  return (
    <tr role='row'>
      {columns.map((column, index) => (
        index === 0
          ? <th key={column.title} role='rowheader' scope='row' class={classOf(column)}>{column.cell(row)}</th>
          : <td key={column.title} role='cell' data-title={column.title} class={classOf(column)}>{column.cell(row)}</td>
      ))}
    </tr>
  )
}

function classOf<Row>({ isNumeric = false, isMinor = false, isWide = false }: Column<Row>): string {
  return [isNumeric ? 'numeric' : '', isMinor ? 'minor' : '', isWide ? 'whole' : ''].filter((name) => name !== '').join(' ')
}
