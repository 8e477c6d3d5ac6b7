// Buttons that move through the pages of a list.

import type { ListPage } from '../state/use-list-page.ts'
import type { Pages } from '../state/use-pages.ts'
import { ProblemText } from './problem.tsx'

/** The buttons stay focusable where there is no further page, so that the focus is not lost. */
export function Pager<Body>({ pages, name }: { readonly pages: ListPage<Body>; readonly name: string }) {
  const { page, hasOlder } = pages
  if (page === 1 && !hasOlder) return null
  const isFirst = page === 1
  return (
    <div class='row' role='group' aria-label={`Pages of ${name}`}>
      <button type='button' class='small' aria-disabled={isFirst} onClick={() => isFirst || pages.newer()}>Newer</button>
      <span class='note'>Page {page}</span>
      <button type='button' class='small' aria-disabled={!hasOlder} onClick={() => hasOlder && pages.older()}>Older</button>
    </div>
  )
}

/** Appends older rows to a list. What it shows is also announced; the button stays after the last page, so that the focus is not lost. */
export function Older({ pages, name }: { readonly pages: Pages<unknown>; readonly name: string }) {
  const { rows, hasMore, isReading, problem, newest } = pages
  const count = rows.value.length
  const isOver = !hasMore.value
  const state = isReading.value ? `Loading older ${name}…` : isOver ? `All ${count} shown.` : `Newest ${count} shown.`
  return (
    <div class='row' hidden={newest.answer.value === null || count === 0}>
      <button type='button' class='small' aria-label={`Older ${name}`} aria-disabled={isOver || isReading.value} onClick={() => void pages.showOlder()}>
        Older
      </button>
      <p class='note' role='status'>{state}</p>
      {problem.value !== null && <p class='note problem' role='alert'><ProblemText problem={problem.value} /></p>}
    </div>
  )
}
