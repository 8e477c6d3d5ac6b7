// Light or dark theme: follows the system until the user chooses one.

import { effect, signal } from '@preact/signals'
import { createStoredString } from './storage.ts'

export type Theme = 'system' | 'light' | 'dark'

const storedTheme = createStoredString(() => localStorage, 'console-theme')
const THEMES: readonly Theme[] = ['system', 'light', 'dark']
const listeners = new Set<() => void>()
const systemIsDark = matchMedia('(prefers-color-scheme: dark)')
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

effect(() => {
  if (theme.value === 'system') delete document.documentElement.dataset['theme']
  else document.documentElement.dataset['theme'] = theme.value
  notify()
})
systemIsDark.addEventListener('change', notify)
