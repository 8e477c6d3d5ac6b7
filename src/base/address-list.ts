// Lists of account addresses as people keep them: one a line, `#` starts a comment.

import { isAccountAddress } from './strkey.ts'

export interface AddressList {
  readonly addresses: readonly string[]
  /** One sentence for each line that is no address. */
  readonly problems: readonly string[]
}

/** So much of a wrong line is repeated: enough to find it. */
const SHOWN_CHARACTERS = 64

/** Reads the text of a list; a line that is not an account's address is a problem, named by its number. */
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
