// A list in pages: the newest rows, read again when the log moves on, and older ones on request.

import { useComputed, useSignal } from '@preact/signals'
import type { ReadonlySignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import type { Answer, Client } from '../../client/src/index.ts'
import { useParts } from '../parts.ts'
import { problemOf } from '../problems.ts'
import type { Problem } from '../problems.ts'
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
  /** Why older rows could not be read. */
  readonly problem: ReadonlySignal<Problem | null>
  showOlder(): Promise<void>
}

export interface PagesOptions<Row, Body extends PageBody> {
  readonly title: string
  readonly read: (client: Client, cursor: { readonly cursor?: string }) => Promise<Answer<Body>>
  readonly rowsOf: (body: Body) => readonly Row[]
  /** Grows with newer rows. */
  readonly idOf: (row: Row) => number
  readonly dependencies: readonly unknown[]
}

export function usePages<Row, Body extends PageBody>({ title, read, rowsOf, idOf, dependencies }: PagesOptions<Row, Body>): Pages<Row> {
  const { session } = useParts()
  const newest = useResource(title, (client) => read(client, {}), dependencies)
  const rows = useSignal<readonly Row[]>([])
  /** After the oldest row; undefined until the first page was read. */
  const end = useSignal<PageBody | undefined>(undefined)
  const problem = useSignal<Problem | null>(null)
  const isReading = useSignal(false)
  const body = newest.answer.value?.body

  function add(found: readonly Row[]): void {
    const byId = new Map([...rows.peek(), ...found].map((row) => [idOf(row), row]))
    rows.value = [...byId.values()].sort((a, b) => idOf(b) - idOf(a))
  }

  useEffect(() => {
    rows.value = []
    end.value = undefined
  }, dependencies)
  useEffect(() => {
    if (body === undefined) return
    add(rowsOf(body))
    end.value ??= body
  }, [body])
  return {
    rows, newest, problem,
    hasMore: useComputed(() => end.value?.hasMore === true),
    async showOlder() {
      const cursor = end.peek()?.nextCursor ?? null
      if (cursor === null || isReading.peek()) return
      isReading.value = true
      try {
        const older = (await read(session.client(), { cursor })).body
        add(rowsOf(older))
        end.value = older
        problem.value = null
      } catch (error) {
        problem.value = problemOf(error)
      }
      isReading.value = false
    },
  }
}
