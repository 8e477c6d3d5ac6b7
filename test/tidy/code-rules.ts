// The rules of STYLE.md that can be read off the code itself. Each is a pure function over a tree; layers and cycles have files of their own.

import { findFunctions } from './functions.ts'
import { findImports } from './imports.ts'
import { codeTokens, startsWithTexts, tokenize } from './syntax.ts'
import type { Token } from './syntax.ts'
import { isProduct, isTestFile } from './tree.ts'
import type { Rule, Tree, Violation } from './tree.ts'

/** Looks at every token of the chosen files; the finder answers with a message where the rule is broken. */
function tokenRule(rule: string, chosen: (path: string) => boolean, find: (tokens: readonly Token[], index: number) => string | undefined): Rule {
  return (tree) => {
    const violations: Violation[] = []
    for (const [path, source] of tree) {
      if (!path.endsWith('.ts') || !chosen(path)) continue
      const tokens = codeTokens(source)
      tokens.forEach((token, index) => {
        const message = find(tokens, index)
        if (message !== undefined) violations.push({ rule, path, line: token.line, message })
      })
    }
    return violations
  }
}

/** True for a free name or a property of globalThis; `timer.setTimeout` is somebody's own. */
function isGlobal(tokens: readonly Token[], index: number): boolean {
  const before = tokens[index - 1]?.text
  if (before === '.' || before === '?.') return tokens[index - 2]?.text === 'globalThis'
  return tokens[index]?.kind === 'word' && tokens[index + 1]?.text !== ':' && before !== 'function'
}

const TIMER_NAMES: ReadonlySet<string> = new Set(['setTimeout', 'setInterval', 'performance'])

/** The client is a package of its own, with a clock, chance and timers of its own; the console runs in a browser, and has its own as well. */
const CLOCKS = ['src/base/clock.ts', 'client/src/clock.ts', 'client/src/platform.ts', 'console/clock.ts']

const oneClock = tokenRule('one-clock', (path) => isProduct(path) && !CLOCKS.includes(path), (tokens, index) => {
  const text = tokens[index]?.text ?? ''
  const says = `${text}: only src/base/clock.ts knows the time`
  if (TIMER_NAMES.has(text) && isGlobal(tokens, index)) return says
  if (text === 'Date' && (startsWithTexts(tokens, index, ['Date', '.', 'now']) || startsWithTexts(tokens, index, ['Date', '[']))) return says
  if (text === 'Date' && startsWithTexts(tokens, index, ['Date', '(', ')'])) return says
  if (text === 'Date' && tokens[index - 1]?.text === 'new' && tokens[index + 1]?.text !== '(') return says
  if (text === 'Date' && tokens[index - 1]?.text === '=' && isGlobal(tokens, index) && tokens[index + 1]?.text !== '(') return says
  if (startsWithTexts(tokens, index, ['AbortSignal', '.', 'timeout'])) return says
  if (startsWithTexts(tokens, index, ['process', '.', 'hrtime']) || startsWithTexts(tokens, index, ['process', '.', 'uptime'])) return says
  return undefined
})

const DICE: ReadonlySet<string> = new Set([
  'randomBytes', 'randomUUID', 'randomInt', 'randomFill', 'randomFillSync', 'getRandomValues', 'generateKeyPair', 'generateKeyPairSync', 'generateKeySync',
])

const DICE_HOMES = ['src/base/random.ts', 'client/src/clock.ts', 'client/src/platform.ts', 'console/burner-wallet.ts']

const oneDice = tokenRule('one-dice', (path) => isProduct(path) && !DICE_HOMES.includes(path), (tokens, index) => {
  const text = tokens[index]?.text ?? ''
  const rolls = DICE.has(text) || startsWithTexts(tokens, index, ['Math', '.', 'random']) || startsWithTexts(tokens, index, ['Keypair', '.', 'random'])
  return rolls && tokens[index]?.kind === 'word' ? `${text}: only src/base/random.ts rolls dice` : undefined
})

/** The client's command line is a program of its own. */
const ENVIRONMENT_HOMES = ['src/config.ts', 'client/src/cli/main.ts']

const oneEnvironment = tokenRule('one-environment', (path) => isProduct(path) && !ENVIRONMENT_HOMES.includes(path), (tokens, index) => {
  const reads = startsWithTexts(tokens, index, ['process', '.', 'env']) || startsWithTexts(tokens, index, ['process', '?.', 'env'])
  const byName = startsWithTexts(tokens, index, ['process', '[']) || destructuresProcess(tokens, index)
  return reads || byName ? 'only src/config.ts reads the environment' : undefined
})

/** `const { env } = process`. */
function destructuresProcess(tokens: readonly Token[], index: number): boolean {
  return startsWithTexts(tokens, index, ['}', '=', 'process']) && tokens[index + 3]?.text !== '.'
}

const noExit = tokenRule('no-exit', isProduct, (tokens, index) => {
  // Signal 0 ends nobody: it asks whether a process lives.
  const asks = startsWithTexts(tokens, index + 5, [',', '0', ')'])
  const ends = !asks && ['exit', 'abort', 'kill', 'reallyExit'].some((name) => startsWithTexts(tokens, index, ['process', '.', name, '(']))
  return ends ? 'the process ends because nothing is left to do, never by a call' : undefined
})

/** Where statements may be written. */
const SQL_HOMES = ['src/store/', 'src/projections/', 'src/keys/', 'src/indexer/archive.ts', 'localnet/ledger/']
const STATEMENTS = [
  /^\s*select\b[^]*\bfrom\b/i, /^\s*select\s+\w+\s*\(/i, /^\s*select\s+(?:\d|\$)/i, /^\s*insert\s+into\s/i, /^\s*update\s+\S+\s+set\s/i,
  /^\s*delete\s+from\s/i, /^\s*with\s+(?:recursive\s+)?\w+(?:\s*\([^)]*\))?\s+as\s/i,
  /^\s*(?:create|alter|drop)\s+(?:table|index|unique|schema|database|type|view|function|sequence|extension)\b/i,
  /^\s*(?:truncate|vacuum|analyze|listen|notify|pragma|savepoint)\s+\w/i, /^\s*lock\s+table\b/i, /^\s*set\s+(?:local|session)\s/i,
]

const sqlHome = tokenRule('sql-home', (path) => isProduct(path) && !SQL_HOMES.some((home) => path.startsWith(home)), (tokens, index) => {
  const token = tokens[index]
  if (token?.kind === 'string' || token?.kind === 'template') {
    const text = token.text.slice(1)
    return STATEMENTS.some((pattern) => pattern.test(text)) ? 'a statement stands outside the folders that own SQL' : undefined
  }
  const next = tokens[index + 2]?.text
  const asks = startsWithTexts(tokens, index, ['.', 'query']) && (next === '(' || next === '<')
  return asks ? 'a query is sent outside the folders that own SQL' : undefined
})

const decorateHome = tokenRule('decorate-home', (path) => isProduct(path) && !path.startsWith('src/http/'), (tokens, index) => {
  const decorates = ['decorate', 'decorateRequest', 'decorateReply'].some((name) => startsWithTexts(tokens, index, ['.', name]))
  if (decorates) return 'only src/http decorates: everything else is an argument'
  const declares = startsWithTexts(tokens, index, ['declare', 'module']) || startsWithTexts(tokens, index, ['declare', 'global'])
  return declares ? 'ambient types hide a dependency: only src/http declares them' : undefined
})

const noDefaultExport = tokenRule('no-default-export', () => true, (tokens, index) => {
  const isDefault = startsWithTexts(tokens, index, ['export', 'default']) || startsWithTexts(tokens, index, ['as', 'default'])
  if (!isDefault) return undefined
  // `import { default as x }` reads another package's default; only giving one out is meant.
  return tokens[index]?.text === 'as' && !insideExport(tokens, index) ? undefined : 'exports have names'
})

function insideExport(tokens: readonly Token[], index: number): boolean {
  const open = tokens.findLastIndex((token, at) => at < index && token.text === '{')
  return tokens[open - 1]?.text === 'export'
}

const noConsole = tokenRule('no-console', (path) => isProduct(path) && path !== 'main.ts', (tokens, index) =>
  tokens[index]?.text === 'console' && isGlobal(tokens, index) ? 'a part speaks through its log' : undefined)

/** What the published package exports has to stand in one file for each of its names. */
const PACKAGE_DOORS = ['client/src/index.ts', 'client/src/ccxt/index.ts']

const noBarrels: Rule = (tree) => {
  const violations: Violation[] = []
  for (const [path, source] of tree) {
    if (!path.endsWith('.ts') || PACKAGE_DOORS.includes(path)) continue
    for (const reference of findImports(source)) {
      if (reference.form !== 're-export' && reference.form !== 'type re-export') continue
      violations.push({ rule: 'no-barrels', path, line: reference.line, message: 'a name is imported from its one home' })
    }
  }
  return violations
}

const FUZZ_HOME = 'test/support/fuzz.ts'

/** Property tests draw their cases from the run's one seed. */
function oneSeed(tree: Tree): Violation[] {
  const violations: Violation[] = []
  for (const [path, source] of tree) {
    if (!path.endsWith('.ts') || path === FUZZ_HOME) continue
    for (const { specifier, line, form: how } of findImports(source)) {
      if (specifier !== 'fast-check' || how.startsWith('type')) continue
      violations.push({ rule: 'one-seed', path, line, message: `fast-check comes from ${FUZZ_HOME}, with the run's seed` })
    }
  }
  return violations
}

const RUNNERS: ReadonlySet<string> = new Set(['test', 'it', 'describe', 'suite'])

const testsAllRun = tokenRule('tests-all-run', isTestFile, (tokens, index) => {
  const token = tokens[index]
  if (token?.kind !== 'word' || !['only', 'skip', 'todo'].includes(token.text)) return undefined
  const isProperty = tokens[index - 1]?.text === '.'
  const argument = tokens[index + 2]
  if (isProperty && tokens[index + 1]?.text === '(') {
    const ofRunner = RUNNERS.has(tokens[index - 2]?.text ?? '')
    if (ofRunner || token.text === 'only') return `${token.text}: a test that is there runs`
    if (argument?.text === ')' || argument?.text === 'true') return `${token.text}: a test that steps aside says why`
  }
  if (tokens[index + 1]?.text === ':' && argument?.text === 'true') return `${token.text}: a test that is there runs, or says why not`
  return undefined
})

const MARKS = /\b(?:TODO(?!\(decision\))|FIXME|XXX|HACK)\b/
const SILENCERS = /@ts-(?:ignore|nocheck|expect-error)|(?:oxlint|eslint|biome|prettier|tslint)-(?:disable|ignore)|\bv8 ignore\b|c8 ignore/

const marks: Rule = (tree) => {
  const violations: Violation[] = []
  for (const [path, source] of tree) {
    if (!path.endsWith('.ts') && !path.endsWith('.sql')) continue
    const comments = path.endsWith('.ts') ? tokenize(source).filter((token) => token.kind === 'comment') : sqlComments(source)
    for (const { text, line } of comments) {
      const mark = MARKS.exec(text)?.[0] ?? SILENCERS.exec(text)?.[0]
      if (mark !== undefined) violations.push({ rule: 'marks', path, line, message: `${mark}: finish it, write TODO(decision), or mend what complains` })
    }
  }
  return violations
}

function sqlComments(source: string): { text: string; line: number }[] {
  return source.split('\n').flatMap((text, index) => (text.includes('--') ? [{ text, line: index + 1 }] : []))
}

export const FUNCTION_MAX_OWN_LINES = 70
export const FUNCTION_MAX_LINES = 250
const functionLength: Rule = (tree) => {
  const violations: Violation[] = []
  for (const [path, source] of tree) {
    if (!path.endsWith('.ts')) continue
    for (const { line, lines, ownLines } of findFunctions(source)) {
      const add = (message: string) => violations.push({ rule: 'function-length', path, line, message })
      if (ownLines > FUNCTION_MAX_OWN_LINES) add(`${ownLines} lines without its inner functions (maximum ${FUNCTION_MAX_OWN_LINES})`)
      else if (lines > FUNCTION_MAX_LINES) add(`${lines} lines with its inner functions (maximum ${FUNCTION_MAX_LINES})`)
    }
  }
  return violations
}

export const FILE_MAX_LINES = 400
export const TEST_FILE_MAX_LINES = 600
/** openapi-typescript writes in its own style. */
const isGenerated = (source: string): boolean => source.startsWith('// Generated from docs/openapi.json')

const fileLength: Rule = (tree) => {
  const violations: Violation[] = []
  for (const [path, source] of tree) {
    if (!path.endsWith('.ts') || isGenerated(source)) continue
    const max = isTestFile(path) ? TEST_FILE_MAX_LINES : FILE_MAX_LINES
    const lines = source.split('\n').length - 1
    if (lines > max) violations.push({ rule: 'file-length', path, line: max, message: `${lines} lines (${max} at most)` })
  }
  return violations
}

export const LINE_MAX_LENGTH = 160
const form: Rule = (tree) => {
  const violations: Violation[] = []
  for (const [path, source] of tree) {
    if ((!path.endsWith('.ts') && !path.endsWith('.sql')) || isGenerated(source)) continue
    const add = (line: number, message: string) => violations.push({ rule: 'form', path, line, message })
    const lines = source.split('\n')
    if (lines.at(-1) !== '') add(lines.length, 'the file does not end with a line break')
    lines.forEach((text, index) => {
      if (text.length > LINE_MAX_LENGTH) add(index + 1, `${text.length} characters (${LINE_MAX_LENGTH} at most)`)
      if (/\s$/.test(text)) add(index + 1, 'white space at the end')
      if (text.includes('\t')) add(index + 1, 'a tab')
    })
    if (path.endsWith('.ts')) for (const [line, message] of tokenForm(source)) add(line, message)
  }
  return violations
}

/** No semicolon ends a line, and strings stand in single quotes unless they hold one. */
function tokenForm(source: string): [line: number, message: string][] {
  const tokens = codeTokens(source)
  return tokens.flatMap((token, index): [number, string][] => {
    const next = tokens[index + 1]
    if (token.text === ';' && (next === undefined || next.line > token.line)) return [[token.line, 'a semicolon at the end of a line']]
    if (token.kind === 'string' && token.text.startsWith('"') && !token.text.includes("'")) return [[token.line, 'double quotes']]
    return []
  })
}

/** Every rule of this file by its name. */
export const CODE_RULES: Readonly<Record<string, Rule>> = {
  'one-clock': oneClock,
  'one-dice': oneDice,
  'one-environment': oneEnvironment,
  'no-exit': noExit,
  'sql-home': sqlHome,
  'decorate-home': decorateHome,
  'no-default-export': noDefaultExport,
  'no-console': noConsole,
  'no-barrels': noBarrels,
  'one-seed': oneSeed,
  'tests-all-run': testsAllRun,
  marks,
  'function-length': functionLength,
  'file-length': fileLength,
  form,
}

/** What every rule of this file says of a tree. */
export function checkCode(tree: Tree): Violation[] {
  return Object.values(CODE_RULES).flatMap((rule) => rule(tree))
}
