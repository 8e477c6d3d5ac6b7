// Removes secrets from a log line. Callers must not log secrets in the first place; this is for what clients put where it does not belong, and for messages
// of libraries.

/** Each pattern keeps its first group and replaces the rest. */
const SECRETS: readonly RegExp[] = [
  /((?<![A-Za-z0-9])nk_[0-9a-f]{24}(?::|%3a))[0-9a-f]{16,}/gi,
  /()(?<![A-Z2-7])S[A-Z2-7]{55}(?![A-Z2-7])/g,
  /(:\/\/[^\s/:@"\\]*:)[^\s/@"\\]+(?=@)/g,
  /((?<![A-Za-z])Bearer(?:\s|%20)+)[^\s"\\,&]+/gi,
  /((?<![A-Za-z])(?:secret|password|passwd|token|api[_-]?key|private[_-]?key)\\?"?\s*[:=]\s*\\?"?)[^\s"\\,&}]+/gi,
]

const REDACTED = '[redacted]'

export function redact(text: string): string {
  let redacted = text
  for (const pattern of SECRETS) redacted = redacted.replaceAll(pattern, `$1${REDACTED}`)
  return redacted
}
