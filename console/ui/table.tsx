// A table with a caption, in a region that scrolls sideways if the table is too wide.

import type { ComponentChildren } from 'preact'

export interface Column<Row> {
  readonly title: string
  /** Aligned to the right. */
  readonly isNumeric?: boolean
  /** Hidden on narrow screens. */
  readonly isMinor?: boolean
  readonly cell: (row: Row) => ComponentChildren
}

export interface TableOptions<Row> {
  readonly caption: string
  readonly columns: readonly Column<Row>[]
  readonly rows: readonly Row[]
  /** Identifies a row over updates, so that focus and selection stay with it. */
  readonly keyOf: (row: Row) => string | number
  /** Shown instead of rows. */
  readonly empty: string
}

/** The cells of the first column are row headers. */
export function Table<Row>({ caption, columns, rows, keyOf, empty }: TableOptions<Row>) {
  return (
    <div class='scroll' role='region' aria-label={caption} tabIndex={0}>
      <table>
        <caption>{caption}</caption>
        <thead>
          <tr>{columns.map((column) => <th key={column.title} scope='col' class={classOf(column)}>{column.title}</th>)}</tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={keyOf(row)}>
              {columns.map((column, index) => (
                index === 0
                  ? <th key={column.title} scope='row' class={classOf(column)}>{column.cell(row)}</th>
                  : <td key={column.title} class={classOf(column)}>{column.cell(row)}</td>
              ))}
            </tr>
          ))}
          {rows.length === 0 && <tr><td colSpan={columns.length} class='empty'>{empty}</td></tr>}
        </tbody>
      </table>
    </div>
  )
}

function classOf<Row>({ isNumeric = false, isMinor = false }: Column<Row>): string {
  return [isNumeric ? 'numeric' : '', isMinor ? 'minor' : ''].join(' ').trim()
}
