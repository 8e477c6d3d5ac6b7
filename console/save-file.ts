// Offers a file to the user. The browser stores it without a request.

import { after } from './clock.ts'

/** The browser reads the file soon after the click. */
const REVOKE_AFTER_MS = 60_000

export function saveFile(name: string, content: Blob): void {
  const url = URL.createObjectURL(content)
  const link = document.createElement('a')
  link.href = url
  link.download = name
  link.click()
  after(REVOKE_AFTER_MS, () => URL.revokeObjectURL(url))
}
