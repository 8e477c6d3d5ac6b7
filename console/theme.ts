// Light or dark: as the system is, until somebody chooses.

import { el } from './dom.ts'
import { createKept } from './kept.ts'

type Theme = 'system' | 'light' | 'dark'

const kept = createKept(() => localStorage, 'console-theme')
const ORDER: readonly Theme[] = ['system', 'light', 'dark']
const NAMES: Readonly<Record<Theme, string>> = { system: 'as the system', light: 'light', dark: 'dark' }
const listeners = new Set<() => void>()
const system = matchMedia('(prefers-color-scheme: dark)')

/** Called when the colours have changed. */
export function onThemeChange(run: () => void): () => void {
  listeners.add(run)
  return () => void listeners.delete(run)
}

/** The button that goes through the three. */
export function createThemeSwitch(): HTMLElement {
  const chosen = kept.read()
  let theme = ORDER.find((each) => each === chosen) ?? 'system'
  const button = el('button', { type: 'button', class: 'quiet', click: next })
  const apply = (): void => {
    if (theme === 'system') delete document.documentElement.dataset['theme']
    else document.documentElement.dataset['theme'] = theme
    button.textContent = `Colours: ${NAMES[theme]}`
    for (const run of listeners) run()
  }
  function next(): void {
    theme = ORDER[(ORDER.indexOf(theme) + 1) % ORDER.length] ?? 'system'
    kept.write(theme)
    apply()
  }
  system.addEventListener('change', apply)
  apply()
  return button
}
