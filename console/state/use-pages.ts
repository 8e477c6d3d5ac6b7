// A list in pages: the newest rows, read again when the log moves on, and older ones on request.

import { useComputed, useSignal } from '@preact/signals'
import type { ReadonlySignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import type { Answer, Client } from '../../client/src/index.ts'
import { useParts } from '../parts.ts'
import { problemOf } from '../problems.ts'
import type { Problem } from '../problems.ts'
import { mergeNewest, mergeOlder } from './page-rows.ts'
import type { Resource } from './resource.ts'
import { useResource } from './use-resource.ts'

interface PageBody {
  readonly hasMore: boolean
  readonly nextCursor: string | null
}

export interface Pages<Row> {
  /** All rows that were read, newest first. */
  readonly rows: ReadonlySignal<readonly Row[]>
  readonly newest: Resource<unknown>
  readonly hasMore: ReadonlySignal<boolean>
  /** True while older rows are being read. */
  readonly isReading: ReadonlySignal<boolean>
  /** The reason why older rows could not be read. */
  readonly problem: ReadonlySignal<Problem | null>
  showOlder(): Promise<void>
}

export interface PagesOptions<Row, Body extends PageBody> {
  readonly title: string
  readonly read: (client: Client, cursor: { readonly cursor?: string }) => Promise<Answer<Body>>
  readonly rowsOf: (body: Body) => readonly Row[]
  /** Identifies a row over pages and reads. */
  readonly idOf: (row: Row) => number | string
  readonly dependencies: readonly unknown[]
  /** Nothing is read while it is false. */
  readonly isEnabled?: boolean
}

export function usePages<Row, Body extends PageBody>(options: PagesOptions<Row, Body>): Pages<Row> {
  const { title, read, rowsOf, idOf, dependencies, isEnabled = true } = options
  const { session } = useParts()
  const newest = useResource(title, (client) => read(client, {}), dependencies, { isEnabled })
  const rows = useSignal<readonly Row[]>([])
  /** The page of the oldest row; undefined until the first page was read. */
  const end = useSignal<PageBody | undefined>(undefined)
  const problem = useSignal<Problem | null>(null)
  const isReading = useSignal(false)
  const body = newest.answer.value?.body

  useEffect(() => {
    rows.value = []
    end.value = undefined
    problem.value = null
  }, dependencies)
  useEffect(() => {
    if (body === undefined) return
    const merged = mergeNewest(rows.peek(), { rows: rowsOf(body), hasMore: body.hasMore }, idOf)
    rows.value = merged.rows
    if (merged.isRestarted) end.value = body
  }, [body])
  return {
    rows, newest, problem, isReading,
    hasMore: useComputed(() => end.value?.hasMore === true),
    async showOlder() {
      const from = end.peek()
      const cursor = from?.nextCursor ?? null
      if (cursor === null || isReading.peek()) return
      isReading.value = true
      try {
        const older = (await read(session.client(), { cursor })).body
        // Another list, or a list that was restarted, has another end.
        if (end.peek() === from) {
          rows.value = mergeOlder(rows.peek(), rowsOf(older), idOf)
          end.value = older
        }
        problem.value = null
      } catch (error) {
        problem.value = problemOf(error)
      }
      isReading.value = false
    },
  }
}
