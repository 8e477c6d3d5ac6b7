// Finds what JSON.parse does not report: where the text is invalid, and members that are written twice.

export interface JsonScan {
  /** Offset of the first syntax error; null if the text is valid. */
  readonly errorAt: number | null
  /** Paths of members that are written twice. JSON.parse keeps the last one. */
  readonly duplicates: readonly string[]
}

/** Deeper text counts as invalid. */
const DEPTH_MAX = 32

const SPACE = /[ \t\n\r]*/y
const STRING = /"(?:[ !#-[\]-\u{10ffff}]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"/uy
const SCALAR = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/y

class SyntaxFault extends Error {
  override readonly name = 'SyntaxFault'
}

export function scanJson(text: string): JsonScan {
  const duplicates: string[] = []
  let offset = 0

  function match(pattern: RegExp): string | undefined {
    pattern.lastIndex = offset
    const [found] = pattern.exec(text) ?? []
    offset += found?.length ?? 0
    return found
  }

  /** Skips a character, and the space around it. */
  function accept(character: string): boolean {
    match(SPACE)
    if (text[offset] !== character) return false
    offset++
    match(SPACE)
    return true
  }

  function demand(ok: boolean): void {
    if (!ok) throw new SyntaxFault()
  }

  function scanMembers(path: string, depth: number): void {
    const seen = new Set<string>()
    if (accept('}')) return
    do {
      const literal = match(STRING)
      demand(literal !== undefined)
      const member = String(JSON.parse(literal ?? '""'))
      const memberPath = path === '' ? member : `${path}.${member}`
      if (seen.has(member)) duplicates.push(memberPath)
      seen.add(member)
      demand(accept(':'))
      scanValue(memberPath, depth)
    } while (accept(','))
    demand(accept('}'))
  }

  function scanItems(path: string, depth: number): void {
    if (accept(']')) return
    let index = 0
    do scanValue(`${path}[${index++}]`, depth)
    while (accept(','))
    demand(accept(']'))
  }

  function scanValue(path: string, depth: number): void {
    demand(depth < DEPTH_MAX)
    if (accept('{')) scanMembers(path, depth + 1)
    else if (accept('[')) scanItems(path, depth + 1)
    else demand((match(STRING) ?? match(SCALAR)) !== undefined)
  }

  try {
    scanValue('', 0)
    match(SPACE)
    demand(offset === text.length)
    return { errorAt: null, duplicates }
  } catch (error) {
    if (!(error instanceof SyntaxFault)) throw error
    return { errorAt: offset, duplicates }
  }
}
