// Lists in pages: a table of what was read, and a button that reads older rows.

import type { Column } from '../ui/table.tsx'
import { Table } from '../ui/table.tsx'
import { Fresh, ReadNote } from '../ui/layout.tsx'
import { ProblemText } from '../ui/problem.tsx'
import type { Pages } from '../state/use-pages.ts'

export function PagedTable<Row>({ caption, empty, pages, idOf, columns }: {
  readonly caption: string
  readonly empty: string
  readonly pages: Pages<Row>
  readonly idOf: (row: Row) => number | string
  readonly columns: readonly Column<Row>[]
}) {
  const { newest, rows, hasMore, problem } = pages
  const isComplete = newest.answer.value !== null && !hasMore.value
  return (
    <Fresh resource={newest}>
      <Table caption={caption} empty={empty} isLoading={newest.answer.value === null} rows={rows.value} keyOf={idOf} columns={columns} />
      {problem.value !== null && <p class='note problem'><ProblemText problem={problem.value} /></p>}
      <div class='row'>
        {hasMore.value && <button type='button' onClick={() => void pages.showOlder()}>Show older</button>}
        {isComplete && rows.value.length > 0 && <p class='note'>All rows are shown.</p>}
      </div>
      <ReadNote resource={newest} />
    </Fresh>
  )
}
