// Keeps the focus on the page. A browser drops it when the focused element disappears or is disabled; a keyboard user would start at the top again.

import { after } from './clock.ts'

/** Moves a lost focus to the nearest element around the lost one that can have it, else to the page's main part. Returns a function that stops it. */
export function keepFocus(root: HTMLElement): () => void {
  let focused: Element | null = null
  let around: readonly Element[] = []
  let cancel = (): void => {}

  function remember({ target }: FocusEvent): void {
    if (!(target instanceof Element)) return
    focused = target
    around = ancestorsOf(target)
  }

  /** The user moved the focus away, for example by a click beside it. */
  function forget(): void {
    queueMicrotask(() => {
      if (document.activeElement === document.body && focused !== null && canHaveFocus(focused)) focused = null
    })
  }

  /** Later: a dialog that closes returns the focus by itself, and until then the page has none. */
  function restoreLater(): void {
    cancel()
    cancel = after(0, restore)
  }

  function restore(): void {
    if (focused === null || canHaveFocus(focused) || hasFocus()) return
    const heir = around.find((element) => element instanceof HTMLElement && element.hasAttribute('tabindex') && canHaveFocus(element))
    focused = null
    const target = heir ?? root.querySelector('main')
    if (target instanceof HTMLElement) target.focus({ preventScroll: true })
  }

  const observer = new MutationObserver(restoreLater)
  observer.observe(root, { childList: true, subtree: true, attributeFilter: ['disabled', 'hidden', 'open'] })
  root.addEventListener('focusin', remember)
  root.addEventListener('focusout', forget)
  return () => {
    observer.disconnect()
    cancel()
    root.removeEventListener('focusin', remember)
    root.removeEventListener('focusout', forget)
  }
}

const hasFocus = (): boolean => document.activeElement !== null && document.activeElement !== document.body && canHaveFocus(document.activeElement)

function canHaveFocus(element: Element): boolean {
  return element.isConnected && !element.matches(':disabled') && element.checkVisibility()
}

function ancestorsOf(element: Element): readonly Element[] {
  const ancestors: Element[] = []
  for (let parent = element.parentElement; parent !== null; parent = parent.parentElement) ancestors.push(parent)
  return ancestors
}
