// The six displays that the console is tested on: three sizes in two themes.

import assert from 'node:assert/strict'

export interface Display {
  /** As `TEST_DISPLAY` names it. */
  readonly name: string
  readonly viewport: { readonly width: number; readonly height: number }
  readonly colorScheme: 'dark' | 'light'
}

export const SIZES = { 1440: { width: 1_440, height: 900 }, 1024: { width: 1_024, height: 768 }, 390: { width: 390, height: 844 } } as const
export const THEMES = ['dark', 'light'] as const
export type Size = keyof typeof SIZES
export type DisplayName = `${Size}-${(typeof THEMES)[number]}`

/** In the order in which pages get them. The phone is first and twice in a row: the first tests of a file are its longest tasks. */
export const DISPLAY_NAMES: readonly DisplayName[] = ['390-dark', '390-light', '1440-dark', '1024-light', '1440-light', '1024-dark']

export function displayOf(name: DisplayName): Display {
  const [size, colorScheme] = name.split('-') as [`${Size}`, Display['colorScheme']]
  return { name, viewport: SIZES[Number(size) as Size], colorScheme }
}

/** The display that `TEST_DISPLAY` selects for every test; null without it. */
export function selectedDisplay(setting: string | undefined = process.env['TEST_DISPLAY']): DisplayName | null {
  if (setting === undefined || setting === '') return null
  return DISPLAY_NAMES.find((name) => name === setting) ?? assert.fail(`TEST_DISPLAY must be one of ${DISPLAY_NAMES.join(', ')}, not ${setting}`)
}

/** Returns a function that gives each page the next display, beginning with `first`, so that a run without `TEST_DISPLAY` covers all of them. */
export function createDisplayRotation(first: DisplayName, selected = selectedDisplay()): () => Display {
  let next = DISPLAY_NAMES.indexOf(first)
  return () => displayOf(selected ?? DISPLAY_NAMES[next++ % DISPLAY_NAMES.length] ?? first)
}
