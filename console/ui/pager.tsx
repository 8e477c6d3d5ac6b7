// Buttons that move through the pages of a list.

import type { ListPage } from '../state/use-list-page.ts'

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
