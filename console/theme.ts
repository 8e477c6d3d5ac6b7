// Light or dark theme: follows the system until the user chooses one.

import { el } from './dom.ts'
import { createStoredString } from './storage.ts'

type Theme = 'system' | 'light' | 'dark'

const storedTheme = createStoredString(() => localStorage, 'console-theme')
const THEMES: readonly Theme[] = ['system', 'light', 'dark']
const listeners = new Set<() => void>()
const systemIsDark = matchMedia('(prefers-color-scheme: dark)')

/** Calls `listener` when the colors have changed. Returns a function that removes it. */
export function onThemeChange(listener: () => void): () => void {
  listeners.add(listener)
  return () => void listeners.delete(listener)
}

/** A button that cycles through the themes. */
export function createThemeSwitch(): HTMLElement {
  const stored = storedTheme.read()
  let theme = THEMES.find((each) => each === stored) ?? 'system'
  const button = el('button', { type: 'button', class: 'quiet', click: switchToNext })
  function apply(): void {
    if (theme === 'system') delete document.documentElement.dataset['theme']
    else document.documentElement.dataset['theme'] = theme
    button.textContent = `Theme: ${theme}`
    for (const listener of listeners) listener()
  }
  function switchToNext(): void {
    theme = THEMES[(THEMES.indexOf(theme) + 1) % THEMES.length] ?? 'system'
    storedTheme.write(theme)
    apply()
  }
  systemIsDark.addEventListener('change', apply)
  apply()
  return button
}
