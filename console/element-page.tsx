// A page that manages its own elements. It is created when it is first opened and keeps its state while others are shown.

import { useEffect, useMemo, useRef } from 'preact/hooks'
import type { Page, PageParts } from './page.ts'
import { useParts } from './parts.ts'

export interface ElementPageProps {
  readonly name: string
  readonly path: readonly string[]
  readonly create: (parts: PageParts) => Page
}

const created = new WeakMap<PageParts, Map<string, Page>>()

export function ElementPage({ name, path, create }: ElementPageProps) {
  const parts = useParts()
  const page = useMemo(() => {
    const pages = created.get(parts) ?? new Map<string, Page>()
    created.set(parts, pages)
    const known = pages.get(name) ?? create(parts)
    pages.set(name, known)
    return known
  }, [name, parts])
  const container = useRef<HTMLDivElement>(null)
  useEffect(() => {
    container.current?.replaceChildren(page.element)
    return () => page.hide()
  }, [page])
  useEffect(() => page.show(path), [page, path])
  return <div ref={container} />
}
