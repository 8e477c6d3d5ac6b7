// Formats a JSON log line for people: time, level, message and fields on one short line. Text from clients must not control the terminal.

const LEVELS: Readonly<Record<number, { readonly name: string; readonly color: string }>> = {
  10: { name: 'TRACE', color: '90' },
  20: { name: 'DEBUG', color: '90' },
  30: { name: 'INFO', color: '36' },
  40: { name: 'WARN', color: '33' },
  50: { name: 'ERROR', color: '31' },
  60: { name: 'FATAL', color: '35' },
}
const ERROR_LEVEL = 50
const DIM = '90'
/** Longer values are cut. */
const VALUE_MAX_LENGTH = 200
const STACK_LINES_MAX = 8
const LEVEL_WIDTH = 5

interface Line {
  readonly level: number
  readonly time: number
  readonly msg: string
  readonly err?: { readonly type?: string; readonly message?: string; readonly stack?: string }
  readonly [field: string]: unknown
}

/** `json` is one line of the structured log. Returns it with a line feed; a text that is not such a line is only escaped. */
export function formatForTerminal(json: string, color: boolean): string {
  const line = parse(json)
  if (line === null) return `${escapeControls(json.trimEnd())}\n`
  const { level, time, msg, err, ...fields } = line
  const paint = (code: string, text: string): string => (color ? `\u001b[${code}m${text}\u001b[0m` : text)
  const { name, color: levelColor } = LEVELS[level] ?? { name: String(level), color: DIM }
  const shown = Object.entries(fields).filter(([, value]) => value !== undefined && value !== null)
  const details = [...shown.map(([key, value]) => `${escapeControls(key)}=${formatValue(value)}`), ...(err === undefined ? [] : [formatError(err)])]
  const first = [
    paint(DIM, new Date(time).toISOString().slice(11, 19)), paint(levelColor, name.padEnd(LEVEL_WIDTH)), escapeControls(msg), paint(DIM, details.join(' ')),
  ].filter((part) => part !== '' && part !== paint(DIM, '')).join(' ')
  return `${[first, ...stackOf(line).map((frame) => paint(DIM, frame))].join('\n')}\n`
}

function parse(json: string): Line | null {
  try {
    const line = JSON.parse(json) as Partial<Line> | null
    return typeof line?.level === 'number' && typeof line.time === 'number' && typeof line.msg === 'string' ? (line as Line) : null
  } catch {
    return null
  }
}

function formatValue(value: unknown): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  const cut = text.length > VALUE_MAX_LENGTH ? `${text.slice(0, VALUE_MAX_LENGTH)}…` : text
  return escapeControls(typeof value === 'string' && /[\s"=]/.test(cut) ? JSON.stringify(cut) : cut)
}

function formatError({ type, message }: NonNullable<Line['err']>): string {
  return formatValue(`${type ?? 'Error'}: ${message ?? ''}`)
}

/** Only errors have one: a warning names its cause in its fields. */
function stackOf({ level, err }: Line): readonly string[] {
  if (level < ERROR_LEVEL || err?.stack === undefined) return []
  return err.stack.split('\n').filter((frame) => /^\s+at /.test(frame)).slice(0, STACK_LINES_MAX).map((frame) => `    ${escapeControls(frame.trim())}`)
}

/** Escapes control characters, invisible and direction-changing characters, and lone surrogates. */
function escapeControls(text: string): string {
  return text.replaceAll(/[\p{Cc}\p{Cf}\p{Cs}\u2028\u2029]/gu, (character) => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`)
}
