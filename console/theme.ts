// Light or dark theme: follows the system until the user chooses one. Without a preference it is dark (docs/decisions/console-theme.md).

import { effect, signal } from '@preact/signals'
import { createStoredString } from './storage.ts'

export type Theme = 'system' | 'light' | 'dark'

const storedTheme = createStoredString(() => localStorage, 'console-theme')
const THEMES: readonly Theme[] = ['system', 'light', 'dark']
const listeners = new Set<() => void>()
const systemIsLight = matchMedia('(prefers-color-scheme: light)')
const stored = storedTheme.read()

export const theme = signal<Theme>(THEMES.find((each) => each === stored) ?? 'system')

/** Calls `listener` when the colors have changed. Returns a function that removes it. */
export function onThemeChange(listener: () => void): () => void {
  listeners.add(listener)
  return () => void listeners.delete(listener)
}

export function switchToNextTheme(): void {
  theme.value = THEMES[(THEMES.indexOf(theme.value) + 1) % THEMES.length] ?? 'system'
  storedTheme.write(theme.value)
}

function notify(): void {
  for (const listener of listeners) listener()
}

function apply(): void {
  document.documentElement.dataset['theme'] = theme.value === 'system' ? (systemIsLight.matches ? 'light' : 'dark') : theme.value
  notify()
}

effect(apply)
systemIsLight.addEventListener('change', apply)
