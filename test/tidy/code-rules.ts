// The rules of STYLE.md that apply to single files of code. Each is a pure function of a tree. layers.ts and graph.ts check imports.

import { findFunctions } from './functions.ts'
import { findImports } from './imports.ts'
import { codeTokens, startsWithTexts, tokenize } from './syntax.ts'
import type { Token } from './syntax.ts'
import { isProduct, isTestFile, isTypeScript } from './tree.ts'
import type { Rule, Tree, Violation } from './tree.ts'

/** A rule over every token of the files that `appliesTo` selects; `find` returns a message where the rule is broken. */
function tokenRule(rule: string, appliesTo: (path: string) => boolean, find: (tokens: readonly Token[], index: number) => string | undefined): Rule {
  return (tree) => {
    const violations: Violation[] = []
    for (const [path, source] of tree) {
      if (!isTypeScript(path) || !appliesTo(path)) continue
      const tokens = codeTokens(source)
      tokens.forEach((token, index) => {
        const message = find(tokens, index)
        if (message !== undefined) violations.push({ rule, path, line: token.line, message })
      })
    }
    return violations
  }
}

/** True for a global name, also as a property of globalThis, but not for a property such as `timer.setTimeout`. */
function isGlobal(tokens: readonly Token[], index: number): boolean {
  const previous = tokens[index - 1]?.text
  if (previous === '.' || previous === '?.') return tokens[index - 2]?.text === 'globalThis'
  return tokens[index]?.kind === 'word' && tokens[index + 1]?.text !== ':' && previous !== 'function'
}

const TIMER_NAMES: ReadonlySet<string> = new Set(['setTimeout', 'setInterval', 'performance'])

/** Files that may read the system's time. The client is a separate package and the console runs in a browser, so each has its own. */
const CLOCK_FILES = ['src/base/clock.ts', 'client/src/clock.ts', 'client/src/platform.ts', 'console/clock.ts']

const oneClock = tokenRule('one-clock', (path) => isProduct(path) && !CLOCK_FILES.includes(path), (tokens, index) => {
  const text = tokens[index]?.text ?? ''
  const message = `${text}: only src/base/clock.ts may read the time; take a Clock as an argument`
  if (TIMER_NAMES.has(text) && isGlobal(tokens, index)) return message
  if (text === 'Date' && (startsWithTexts(tokens, index, ['Date', '.', 'now']) || startsWithTexts(tokens, index, ['Date', '[']))) return message
  if (text === 'Date' && startsWithTexts(tokens, index, ['Date', '(', ')'])) return message
  if (text === 'Date' && tokens[index - 1]?.text === 'new' && tokens[index + 1]?.text !== '(') return message
  if (text === 'Date' && tokens[index - 1]?.text === '=' && isGlobal(tokens, index) && tokens[index + 1]?.text !== '(') return message
  if (startsWithTexts(tokens, index, ['AbortSignal', '.', 'timeout'])) return message
  if (startsWithTexts(tokens, index, ['process', '.', 'hrtime']) || startsWithTexts(tokens, index, ['process', '.', 'uptime'])) return message
  return undefined
})

const RANDOM_NAMES: ReadonlySet<string> = new Set([
  'randomBytes', 'randomUUID', 'randomInt', 'randomFill', 'randomFillSync', 'getRandomValues', 'generateKeyPair', 'generateKeyPairSync', 'generateKeySync',
])

const RANDOM_FILES = ['src/base/random.ts', 'client/src/clock.ts', 'client/src/platform.ts', 'console/wallet/burner-wallet.ts']

const oneRandomSource = tokenRule('one-random-source', (path) => isProduct(path) && !RANDOM_FILES.includes(path), (tokens, index) => {
  const text = tokens[index]?.text ?? ''
  const isRandom = RANDOM_NAMES.has(text) || ['Math', 'Keypair'].some((name) => startsWithTexts(tokens, index, [name, '.', 'random']))
  if (!isRandom || tokens[index]?.kind !== 'word') return undefined
  return `${text}: only src/base/random.ts may generate random values; take a Random as an argument`
})

/** Files that may read the environment. The client's command line is a separate program. */
const ENVIRONMENT_FILES = ['src/config/config.ts', 'client/src/cli/main.ts']

const oneEnvironment = tokenRule('one-environment', (path) => isProduct(path) && !ENVIRONMENT_FILES.includes(path), (tokens, index) => {
  const reads = startsWithTexts(tokens, index, ['process', '.', 'env']) || startsWithTexts(tokens, index, ['process', '?.', 'env'])
  const byName = startsWithTexts(tokens, index, ['process', '[']) || destructuresProcess(tokens, index)
  return reads || byName ? 'only src/config/config.ts may read the environment; take the setting as an argument' : undefined
})

/** `const { env } = process`. */
function destructuresProcess(tokens: readonly Token[], index: number): boolean {
  return startsWithTexts(tokens, index, ['}', '=', 'process']) && tokens[index + 3]?.text !== '.'
}

const noExit = tokenRule('no-exit', isProduct, (tokens, index) => {
  // Signal 0 only checks whether a process exists.
  const isCheck = startsWithTexts(tokens, index + 5, [',', '0', ')'])
  const ends = !isCheck && ['exit', 'abort', 'kill', 'reallyExit'].some((name) => startsWithTexts(tokens, index, ['process', '.', name, '(']))
  return ends ? 'do not end the process with a call; close everything and let it exit' : undefined
})

/** Folders and files that may contain SQL. */
const SQL_FOLDERS = ['src/store/', 'src/projections/', 'src/keys/', 'src/trading/', 'localnet/ledger/']
const STATEMENTS = [
  /^\s*select\b[^]*\bfrom\b/i, /^\s*select\s+\w+\s*\(/i, /^\s*select\s+(?:\d|\$)/i, /^\s*insert\s+into\s/i, /^\s*update\s+\S+\s+set\s/i,
  /^\s*delete\s+from\s/i, /^\s*with\s+(?:recursive\s+)?\w+(?:\s*\([^)]*\))?\s+as\s/i,
  /^\s*(?:create|alter|drop)\s+(?:table|index|unique|schema|database|type|view|function|sequence|extension)\b/i,
  /^\s*(?:truncate|vacuum|analyze|listen|notify|pragma|savepoint)\s+\w/i, /^\s*lock\s+table\b/i, /^\s*set\s+(?:local|session)\s/i,
]

const sqlLocation = tokenRule('sql-location', (path) => isProduct(path) && !SQL_FOLDERS.some((folder) => path.startsWith(folder)), (tokens, index) => {
  const token = tokens[index]
  if (token?.kind === 'string' || token?.kind === 'template') {
    const text = token.text.slice(1)
    return STATEMENTS.some((pattern) => pattern.test(text)) ? `an SQL statement: only ${SQL_FOLDERS.join(', ')} may contain SQL` : undefined
  }
  const next = tokens[index + 2]?.text
  const sendsQuery = startsWithTexts(tokens, index, ['.', 'query']) && (next === '(' || next === '<')
  return sendsQuery ? `a query: only ${SQL_FOLDERS.join(', ')} may send queries` : undefined
})

const TABLE_IN_TEXT = /\b(?:idx|shadow|tx)\.(?!ts\b)\w/
const CHANGE_IN_TEXT = /\b(?:insert\s+into|update|delete\s+from)\s+$/i

/** Copies tables as the catalogue names them. */
const MOVE = 'src/store/move/'

/** Tables are named by handles, so that a statement runs on the schemas that it is given. */
const tablesByHandle = tokenRule('tables-by-handle', (path) => path.startsWith('src/') && isProduct(path) && !path.startsWith(MOVE), (tokens, index) => {
  const token = tokens[index]
  if (token === undefined || (token.kind !== 'string' && token.kind !== 'template')) return undefined
  if (TABLE_IN_TEXT.test(token.text)) return 'a table in a text: write it as ${idx.name} (src/store/tables.ts)'
  const isBeforeTable = token.text.endsWith('${') && CHANGE_IN_TEXT.test(token.text.slice(0, -2))
  return isBeforeTable ? 'a table that is changed: write sql.insertInto, sql.update or sql.deleteFrom' : undefined
})

const decorateLocation = tokenRule('decorate-location', (path) => isProduct(path) && !path.startsWith('src/http/'), (tokens, index) => {
  const decorates = ['decorate', 'decorateRequest', 'decorateReply'].some((name) => startsWithTexts(tokens, index, ['.', name]))
  if (decorates) return 'only src/http may decorate the server; pass an argument instead'
  const declares = startsWithTexts(tokens, index, ['declare', 'module']) || startsWithTexts(tokens, index, ['declare', 'global'])
  return declares ? 'only src/http may declare ambient types, because they hide a dependency' : undefined
})

const noDefaultExport = tokenRule('no-default-export', () => true, (tokens, index) => {
  const isDefault = startsWithTexts(tokens, index, ['export', 'default']) || startsWithTexts(tokens, index, ['as', 'default'])
  if (!isDefault) return undefined
  // `import { default as x }` imports another package's default and is allowed.
  return tokens[index]?.text === 'as' && !insideExport(tokens, index) ? undefined : 'a default export; give the export a name'
})

function insideExport(tokens: readonly Token[], index: number): boolean {
  const open = tokens.findLastIndex((token, at) => at < index && token.text === '{')
  return tokens[open - 1]?.text === 'export'
}

const noConsole = tokenRule('no-console', (path) => isProduct(path) && path !== 'main.ts', (tokens, index) =>
  tokens[index]?.text === 'console' && isGlobal(tokens, index) ? 'console is for main.ts only; take a Log as an argument' : undefined)

/** The entry files of the published package; they re-export its public API. */
const PACKAGE_ENTRIES = ['client/src/index.ts', 'client/src/ccxt/index.ts']

const noBarrels: Rule = (tree) => {
  const violations: Violation[] = []
  for (const [path, source] of tree) {
    if (!isTypeScript(path) || PACKAGE_ENTRIES.includes(path)) continue
    for (const reference of findImports(source)) {
      if (reference.form !== 're-export' && reference.form !== 'type re-export') continue
      violations.push({ rule: 'no-barrels', path, line: reference.line, message: 'a re-export; import the name from the file that defines it' })
    }
  }
  return violations
}

const FUZZ_FILE = 'test/support/fuzz.ts'

/** Property tests take their cases from the run's seed. */
function oneSeed(tree: Tree): Violation[] {
  const violations: Violation[] = []
  for (const [path, source] of tree) {
    if (!isTypeScript(path) || path === FUZZ_FILE) continue
    for (const { specifier, line, form: importForm } of findImports(source)) {
      if (specifier !== 'fast-check' || importForm.startsWith('type')) continue
      violations.push({ rule: 'one-seed', path, line, message: `import fc from ${FUZZ_FILE}, which applies the run's seed` })
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
    if (ofRunner || token.text === 'only') return `${token.text}: remove it so that all tests run`
    if (argument?.text === ')' || argument?.text === 'true') return `${token.text}: give the reason as an argument`
  }
  if (tokens[index + 1]?.text === ':' && argument?.text === 'true') return `${token.text}: remove it, or replace true by the reason`
  return undefined
})

const MARKS = /\b(?:TODO(?!\(decision\))|FIXME|XXX|HACK)\b/
const SILENCERS = /@ts-(?:ignore|nocheck|expect-error)|(?:oxlint|eslint|biome|prettier|tslint)-(?:disable|ignore)|\bv8 ignore\b|c8 ignore/

const unfinishedCode: Rule = (tree) => {
  const violations: Violation[] = []
  for (const [path, source] of tree) {
    if (!isTypeScript(path) && !path.endsWith('.sql')) continue
    const comments = isTypeScript(path) ? tokenize(source).filter((token) => token.kind === 'comment') : sqlComments(source)
    for (const { text, line } of comments) {
      const mark = MARKS.exec(text)?.[0] ?? SILENCERS.exec(text)?.[0]
      const message = `${mark}: finish the code, write TODO(decision), or fix the reported problem`
      if (mark !== undefined) violations.push({ rule: 'unfinished-code', path, line, message })
    }
  }
  return violations
}

function sqlComments(source: string): { text: string; line: number }[] {
  return source.split('\n').flatMap((text, index) => (text.includes('--') ? [{ text, line: index + 1 }] : []))
}

export const FUNCTION_MAX_OWN_LINES = 70
const FUNCTION_MAX_LINES = 120
const functionLength: Rule = (tree) => {
  const violations: Violation[] = []
  for (const [path, source] of tree) {
    if (!isTypeScript(path)) continue
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
    if (!isTypeScript(path) || isGenerated(source)) continue
    const max = isTestFile(path) ? TEST_FILE_MAX_LINES : FILE_MAX_LINES
    const lines = source.split('\n').length - 1
    if (lines > max) violations.push({ rule: 'file-length', path, line: max, message: `${lines} lines (maximum ${max}); split the file` })
  }
  return violations
}

export const LINE_MAX_LENGTH = 160
const format: Rule = (tree) => {
  const violations: Violation[] = []
  for (const [path, source] of tree) {
    if ((!isTypeScript(path) && !path.endsWith('.sql')) || isGenerated(source)) continue
    const add = (line: number, message: string) => violations.push({ rule: 'format', path, line, message })
    const lines = source.split('\n')
    if (lines.at(-1) !== '') add(lines.length, 'no line break at the end of the file')
    lines.forEach((text, index) => {
      if (text.length > LINE_MAX_LENGTH) add(index + 1, `${text.length} characters (maximum ${LINE_MAX_LENGTH})`)
      if (/\s$/.test(text)) add(index + 1, 'trailing white space')
      if (text.includes('\t')) add(index + 1, 'a tab; indent with spaces')
    })
    if (isTypeScript(path)) for (const [line, message] of tokenFormat(source)) add(line, message)
  }
  return violations
}

/** Lines do not end with a semicolon, and strings use single quotes unless they contain one. */
function tokenFormat(source: string): [line: number, message: string][] {
  const tokens = codeTokens(source)
  return tokens.flatMap((token, index): [number, string][] => {
    const next = tokens[index + 1]
    if (token.text === ';' && (next === undefined || next.line > token.line)) return [[token.line, 'a semicolon at the end of a line']]
    if (token.kind === 'string' && token.text.startsWith('"') && !token.text.includes("'")) return [[token.line, 'double quotes; use single quotes']]
    return []
  })
}

/** The rules of this file by name. */
export const CODE_RULES: Readonly<Record<string, Rule>> = {
  'one-clock': oneClock,
  'one-random-source': oneRandomSource,
  'one-environment': oneEnvironment,
  'no-exit': noExit,
  'sql-location': sqlLocation,
  'tables-by-handle': tablesByHandle,
  'decorate-location': decorateLocation,
  'no-default-export': noDefaultExport,
  'no-console': noConsole,
  'no-barrels': noBarrels,
  'one-seed': oneSeed,
  'tests-all-run': testsAllRun,
  'unfinished-code': unfinishedCode,
  'function-length': functionLength,
  'file-length': fileLength,
  format,
}

/** The violations of all rules of this file. */
export function checkCode(tree: Tree): Violation[] {
  return Object.values(CODE_RULES).flatMap((rule) => rule(tree))
}
