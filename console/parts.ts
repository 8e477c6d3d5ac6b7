// What every component may use, given once at the root of the page.

import { createContext } from 'preact'
import { useContext } from 'preact/hooks'
import type { PageParts } from './page.ts'

export const PartsContext = createContext<PageParts | null>(null)

export function useParts(): PageParts {
  const parts = useContext(PartsContext)
  if (parts === null) throw new Error('the component is outside of the page')
  return parts
}
