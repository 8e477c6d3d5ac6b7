// Who may be issued a key (specification, "Obtaining a key": the closed beta). A list in a file is read again when the file changes.

import { readFileSync, statSync } from 'node:fs'
import { parseAddressList } from '../base/address-list.ts'
import type { Clock } from '../base/clock.ts'
import type { Log } from '../base/log.ts'

/** Where the list is. */
export type AllowlistSource = { readonly addresses: readonly string[] } | { readonly file: string }

export interface Allowlist {
  /** True when issuance is limited to the list. */
  readonly gated: boolean
  /** True when the address may be issued a key. */
  allows(address: string): boolean
}

/** Issuance open to everyone. */
export const OPEN_TO_EVERYONE: Allowlist = { gated: false, allows: () => true }

/** Raised at the start for a list that cannot be used. */
export class InvalidAllowlist extends Error {
  override readonly name = 'AllowlistUnusable'
  readonly problems: readonly string[]
  constructor(problems: readonly string[]) {
    super('the allowlist cannot be used')
    this.problems = problems
  }
}

/** The file is looked at this often, when somebody asks. */
const FILE_CHECK_INTERVAL_MS = 1_000

/** Opens the list; null leaves issuance open. Raises AllowlistUnusable for a file that cannot be read or that holds anything but addresses. */
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

  /** Whatever is wrong with a later state of the file, the last good list stays: an unreadable file must neither open the gate nor shut it. */
  function refresh(): void {
    const nowMs = clock.nowMs()
    if (Math.abs(nowMs - checkedAtMs) < FILE_CHECK_INTERVAL_MS) return
    checkedAtMs = nowMs
    const now = fileVersion(file)
    if (now === seenVersion) return
    // Told once for each state of the file, not once for each look.
    seenVersion = now
    try {
      listed = read(file)
      log.info({ file, addresses: listed.size }, 'the allowlist was read again')
    } catch (cause) {
      const problems = cause instanceof InvalidAllowlist ? cause.problems : [String(cause)]
      log.error({ file, problems }, 'the allowlist cannot be used as it is now; the one before stays')
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

/** What tells one state of a file from another. */
function fileVersion(file: string): string {
  try {
    const { mtimeNs, size, ino } = statSync(file, { bigint: true })
    return `${mtimeNs} ${size} ${ino}`
  } catch (cause) {
    return String((cause as { code?: unknown }).code)
  }
}

function read(file: string): ReadonlySet<string> {
  let text: string
  try {
    text = readFileSync(file, 'utf8')
  } catch (cause) {
    throw new InvalidAllowlist([`the allowlist ${file} cannot be read (${String((cause as { code?: unknown }).code)})`])
  }
  const { addresses, problems } = parseAddressList(text)
  if (problems.length > 0) throw new InvalidAllowlist(problems.map((problem) => `${file}, ${problem}`))
  return new Set(addresses)
}
