// The addresses that may be issued a key (specification, "Obtaining a key": the closed beta). A file is reloaded when it changes.

import { readFileSync } from 'node:fs'
import { parseAddressList } from '../base/address-list.ts'
import type { Clock } from '../base/clock.ts'
import { fileVersion } from '../base/file-version.ts'
import type { Log } from '../base/log.ts'

export type AllowlistSource = { readonly addresses: readonly string[] } | { readonly file: string }

export interface Allowlist {
  /** True when only listed addresses may be issued a key. */
  readonly gated: boolean
  /** True when the address may be issued a key. */
  allows(address: string): boolean
}

export const OPEN_TO_EVERYONE: Allowlist = { gated: false, allows: () => true }

/** Raised at start-up for an invalid or unreadable list. */
export class InvalidAllowlist extends Error {
  override readonly name = 'AllowlistUnusable'
  readonly problems: readonly string[]
  constructor(problems: readonly string[]) {
    super('the allowlist is invalid')
    this.problems = problems
  }
}

/** The file is checked for changes at most this often, and only when the list is used. */
const FILE_CHECK_INTERVAL_MS = 1_000

/** Opens the list; null allows everyone. Throws InvalidAllowlist for a file that is unreadable or contains an invalid line. */
export function openAllowlist(source: AllowlistSource | null, parts: { readonly clock: Clock; readonly log: Log }): Allowlist {
  if (source === null) return OPEN_TO_EVERYONE
  if ('file' in source) return watchFile(source.file, parts)
  const listed = new Set(source.addresses)
  return { gated: true, allows: (address) => listed.has(address) }
}

function watchFile(file: string, { clock, log }: { readonly clock: Clock; readonly log: Log }): Allowlist {
  let seenVersion = fileVersion(file)
  let listed = read(file)
  let checkedAtMs = clock.nowMs()

  /** An invalid file leaves the previous list in force: a write error must neither allow nor block everyone. */
  function refresh(): void {
    const nowMs = clock.nowMs()
    if (Math.abs(nowMs - checkedAtMs) < FILE_CHECK_INTERVAL_MS) return
    checkedAtMs = nowMs
    const version = fileVersion(file)
    if (version === seenVersion) return
    // Set before reading, so that an invalid file is logged once.
    seenVersion = version
    try {
      listed = read(file)
      log.info({ file, addresses: listed.size }, 'allowlist reloaded')
    } catch (cause) {
      const problems = cause instanceof InvalidAllowlist ? cause.problems : [String(cause)]
      log.error({ file, problems }, 'the allowlist file is invalid: keeping the previous list')
    }
  }

  return {
    gated: true,
    allows(address) {
      refresh()
      return listed.has(address)
    },
  }
}

function read(file: string): ReadonlySet<string> {
  let text: string
  try {
    text = readFileSync(file, 'utf8')
  } catch (cause) {
    throw new InvalidAllowlist([`cannot read the allowlist ${file} (${String((cause as { code?: unknown }).code)})`])
  }
  const { addresses, problems } = parseAddressList(text)
  if (problems.length > 0) throw new InvalidAllowlist(problems.map((problem) => `${file}, ${problem}`))
  return new Set(addresses)
}
