// Copies a text, and says so, or why not.

import { useState } from 'preact/hooks'

export function CopyButton({ text, children }: { readonly text: string; readonly children: string }) {
  const [message, setMessage] = useState('')

  async function copy(): Promise<void> {
    try {
      await navigator.clipboard.writeText(text)
      setMessage('Copied.')
    } catch {
      setMessage('The browser blocked access to the clipboard. Select the text and copy it yourself.')
    }
  }

  return (
    <>
      <button type='button' onClick={() => void copy()}>{children}</button>
      <span class='note' role='status'>{message}</span>
    </>
  )
}
