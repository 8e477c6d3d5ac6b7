// Keyboard shortcuts, and the dialog that lists them and turns them off. None works while the user types or a dialog is open.

import { useSignal } from '@preact/signals'
import { useEffect, useId, useRef } from 'preact/hooks'
import { createStoredString } from '../storage.ts'

/** Each presses a control of the page, if the page has it. */
const SHORTCUTS: readonly (readonly [key: string, text: string, selector: string])[] = [
  ['?', 'Show this list', '.shortcuts'],
  ['/', 'Search the markets', '.switcher'],
  ['l', 'Choose Long', '.sides .long'],
  ['s', 'Choose Short', '.sides .short'],
  ['r', 'Review the order', '.ticket [type=submit]'],
  ['c', 'Close the first position of the table, after a review', '[aria-label^="Close position "]'],
  ['a', 'Show the activity', '[data-activity]'],
]

const stored = createStoredString(() => localStorage, 'console-shortcuts')

export function Shortcuts() {
  const isOpen = useSignal(false)
  const isEnabled = useSignal(stored.read() !== 'off')
  const dialog = useRef<HTMLDialogElement>(null)
  const id = useId()
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      const [, , selector] = SHORTCUTS.find(([key]) => key === event.key) ?? []
      if (selector === undefined || !isEnabled.peek() || event.repeat || event.ctrlKey || event.metaKey || event.altKey) return
      if (isTyping(event.target) || document.querySelector('dialog[open]') !== null) return
      event.preventDefault()
      document.querySelector<HTMLElement>(selector)?.click()
    }
    addEventListener('keydown', onKey)
    return () => removeEventListener('keydown', onKey)
  }, [])
  useEffect(() => {
    if (isOpen.value) dialog.current?.showModal()
    else dialog.current?.close()
  }, [isOpen.value])

  return (
    <>
      <button
        type='button' class='quiet shortcuts' aria-label='Keyboard shortcuts' aria-haspopup='dialog' onClick={() => {
          isOpen.value = true
        }}
      >
        ?
      </button>
      <dialog
        ref={dialog} aria-label='Keyboard shortcuts' onClose={() => {
          isOpen.value = false
        }}
      >
        {isOpen.value && (
          <div class='stack'>
            <div class='row'>
              <h2 class='grow'>Keyboard shortcuts</h2>
              <button type='button' onClick={() => dialog.current?.close()}>Close</button>
            </div>
            <dl class='facts'>{SHORTCUTS.map(([key, text]) => <div key={key}><dt><kbd>{key}</kbd></dt><dd>{text}</dd></div>)}</dl>
            <div class='check'>
              <input
                type='checkbox' id={id} checked={isEnabled} onChange={({ currentTarget: { checked } }) => {
                  isEnabled.value = checked
                  stored.write(checked ? 'on' : 'off')
                }}
              />
              <label for={id}>Use these shortcuts in this browser</label>
            </div>
          </div>
        )}
      </dialog>
    </>
  )
}

function isTyping(target: EventTarget | null): boolean {
  return target instanceof HTMLInputElement || target instanceof HTMLSelectElement || target instanceof HTMLTextAreaElement
}
