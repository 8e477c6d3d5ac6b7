import { statSync } from 'node:fs'

/** Text that differs between two states of a file: a change, a replacement, a removal. Symbolic links are followed. */
export function fileVersion(file: string): string {
  try {
    const { mtimeNs, size, ino } = statSync(file, { bigint: true })
    return `${mtimeNs} ${size} ${ino}`
  } catch (cause) {
    return String((cause as { code?: unknown }).code)
  }
}
