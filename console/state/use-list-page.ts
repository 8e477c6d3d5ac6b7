// A list page by page: the first page is read again as a resource is, later ones stay as they were read. Cursors are positions in the log, so pages neither
// lose nor repeat rows while new ones arrive.

import { useEffect, useState } from 'preact/hooks'
import type { Answer, Client } from '../../client/src/index.ts'
import { useParts } from '../parts.ts'
import type { Resource } from './resource.ts'
import { useResource } from './use-resource.ts'

export interface ListPage<Body> {
  readonly list: Resource<Body>
  /** Counts from 1. */
  readonly page: number
  readonly hasOlder: boolean
  older(): void
  newer(): void
}

interface PageBody {
  readonly nextCursor: string | null
}

/** `dependencies`: what `read` depends on. A change of one begins at the first page. `cursor` is absent for that one. */
export function useListPage<Body extends PageBody>(
  title: string, read: (client: Client, cursor: { readonly cursor?: string }) => Promise<Answer<Body>>, dependencies: readonly unknown[],
): ListPage<Body> {
  const { account } = useParts()
  const [visited, setVisited] = useState<{ readonly of: string; readonly cursors: readonly string[] }>({ of: '', cursors: [] })
  const of = dependencies.map(String).join(' ')
  const cursors = visited.of === of ? visited.cursors : []
  const cursor = cursors.at(-1)
  const list = useResource(title, (client) => read(client, cursor === undefined ? {} : { cursor }), [of, cursor], { isManual: cursor !== undefined })
  const version = account.version.value
  useEffect(() => {
    if (cursor === undefined && list.answer.peek() !== null) void list.read()
  }, [version])
  const next = list.answer.value?.body.nextCursor ?? null
  return {
    list,
    page: cursors.length + 1,
    hasOlder: next !== null,
    older() {
      if (next !== null) setVisited({ of, cursors: [...cursors, next] })
    },
    newer: () => setVisited({ of, cursors: cursors.slice(0, -1) }),
  }
}
