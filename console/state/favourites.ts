// The markets that the user marked as favourites, in this browser.

import { signal } from '@preact/signals'
import { createStoredString } from '../storage.ts'

const stored = createStoredString(() => localStorage, 'console-favourites')
const FAVOURITES_MAX = 100

export const favourites = signal<ReadonlySet<string>>(new Set((stored.read() ?? '').split(',').filter((each) => each !== '')))

export function toggleFavourite(asset: string): void {
  const next = new Set(favourites.value)
  if (!next.delete(asset)) next.add(asset)
  favourites.value = next
  stored.write([...next].slice(0, FAVOURITES_MAX).join(','))
}
