// Lists of account addresses in text files: one per line, `#` starts a comment.

import { isAccountAddress } from './strkey.ts'

export interface AddressList {
  readonly addresses: readonly string[]
  /** One sentence for each line that is not an address. */
  readonly problems: readonly string[]
}

/** Characters of an invalid line that a problem quotes. */
const SHOWN_CHARACTERS = 64

/** Parses the text of a list. Each invalid line becomes a problem that names the line number. */
export function parseAddressList(text: string): AddressList {
  const addresses: string[] = []
  const problems: string[] = []
  for (const [index, line] of text.split('\n').entries()) {
    const entry = line.replace(/#.*/, '').trim()
    if (entry === '') continue
    if (isAccountAddress(entry)) addresses.push(entry)
    else problems.push(`line ${index + 1} is not an account address: ${JSON.stringify(entry.slice(0, SHOWN_CHARACTERS))}`)
  }
  return { addresses, problems }
}
