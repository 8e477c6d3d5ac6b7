// The elements of index.html.

import { displayText } from '../client/src/index.ts'

export function pageElement(id: string): HTMLElement {
  const element = document.getElementById(id)
  if (element === null) throw new Error(`the page has no element #${id}`)
  return element
}

/** Announces a text to screen readers. */
export function announce(text: string): void {
  const element = pageElement('announcements')
  const shown = displayText(text)
  // Unchanged text causes no output.
  if (element.textContent !== shown) element.textContent = shown
}
