// Words that read like a translation, in everything a person reads: comments, strings, test names, markdown, SQL, styles and pages.

import { tokenize } from './syntax.ts'
import { isTypeScript } from './tree.ts'
import type { Rule, Tree, Violation } from './tree.ts'

/** Banned words, each with its replacement. The first alternative that fits is enough. */
const BANNED: readonly (readonly [pattern: RegExp, instead: string])[] = [
  [/\bwhoever\b/i, 'name the reader: the caller, the client, the operator'],
  [/\b(?:tells?|told)\b/i, 'reports, returns, says, shows'],
  [/\banew\b/i, 'again, from scratch'],
  [/\bmeanwhile\b/i, 'since then, in the meantime, or name the event'],
  [/\bin vain\b/i, 'without success, failed'],
  [/\bmend(?:s|ed|ing)?\b/i, 'fix'],
  [/\bstands for\b/i, 'is, means'],
  [/\bstands? (?:in|on|at|behind|before|beside|between|there|here|written)\b/i, 'is in, is at'],
  [/\b(?:is|are|was|were|be) asked\b/i, 'name who requests what'],
  [/\b(?:goes|go|went|going) on(?=[.,;:)]|$| with\b| until\b| as\b| where\b| from\b| while\b| being\b)/i, 'continues'],
  [/\b(?:comes|come|came) to (?:an? )?(?:end|nothing|stand|\d)/i, 'ends, is, amounts to'],
  [/\bknow(?:s)? nothing of\b/i, 'does not depend on, ignores'],
  [/\bthe short of (?:it|that)\b/i, 'a summary'],
  [/\bis to be (?:heard|told|had|seen)\b/i, 'can be, must be'],
  [/\bof it free\b/i, 'free, available'],
  [/\bso (?:many|often) (?:of them|times)?\s*(?:,|\.|$)/i, 'this many, this often'],
  [/\bnot told\b/i, 'unknown, n/a'],
  [/\breckon(?:s|ed|ing)?\b/i, 'calculate'],
  [/\bthrow-away\b/i, 'temporary, burner'],
  [/\bof its own accord\b/i, 'without a request'],
  [/\bneither there nor\b/i, 'invalid'],
  [/\bby turns\b/i, 'alternately'],
  [/\baloud\b/i, 'with an error'],
  [/\bnobody (?:waits|hears|reads|asks|knows|needs|wants)\b/i, 'nothing waits, no caller'],
  [/\bas (?:it|they) (?:is|are|was|were) (?:written|started|served)\b/i, 'unchanged, exactly as shown'],
]

/** Correct uses, by path and the text around them. */
const ALLOWED: readonly (readonly [path: RegExp, text: RegExp])[] = [
  // The rule, its test and the style guide name the words.
  [/^test\/tidy\/word-rules(?:\.test)?\.ts$/, /./],
  [/^STYLE\.md$/, /./],
  // Stellar's own term for the shares of a ledger that kinds of transactions compete for.
  [/^localnet\/ledger\/queue/, /lane/i],
  // Value of a metric's label and of a health field, part of the interface.
  [/./, /not_told/],
]

interface Passage {
  readonly text: string
  readonly line: number
}

/** Returns the texts of a file that a person reads. */
function passages(path: string, source: string): readonly Passage[] {
  if (isTypeScript(path)) return tokenize(source).filter(({ kind }) => kind === 'comment' || kind === 'string' || kind === 'template')
  if (/\.(?:md|sql|css|html|yml|yaml|sh)$/.test(path) || path === 'Dockerfile' || path === '.ci/run') return [{ text: source, line: 1 }]
  return []
}

/** Names are words, too: `toldIds`, `createLanes`. */
const BANNED_IN_NAMES = /^(?:told|tells?|whoever|anew|wish(?:es)?|deeds?|mortals?|upsets?|lanes?|bells?|misfits?|habits?)$/

function namePassages(path: string, source: string): readonly Passage[] {
  if (!isTypeScript(path)) return []
  return tokenize(source).filter(({ kind, text }) => kind === 'word' && text.split(/(?=[A-Z])|_/).some((part) => BANNED_IN_NAMES.test(part.toLowerCase())))
}

const GENERATED = ['docs/openapi.json', 'package-lock.json', 'CODE_OF_CONDUCT.md', 'LICENSE']

const bannedWords: Rule = (tree: Tree) => {
  const violations: Violation[] = []
  const isAllowed = (path: string, text: string): boolean => ALLOWED.some(([where, what]) => where.test(path) && what.test(text))
  for (const [path, source] of tree) {
    if (GENERATED.includes(path)) continue
    for (const { text, line } of passages(path, source)) {
      text.split('\n').forEach((row, index) => {
        for (const [pattern, instead] of BANNED) {
          const found = pattern.exec(row)?.[0]
          if (found === undefined || isAllowed(path, row)) continue
          violations.push({ rule: 'banned-words', path, line: line + index, message: `"${found.trim()}": write ${instead}` })
        }
      })
    }
    for (const { text, line } of namePassages(path, source)) {
      if (!isAllowed(path, text)) violations.push({ rule: 'banned-words', path, line, message: `the name ${text}: use a term of the field` })
    }
  }
  return violations
}

/** Every rule of this file by its name. */
const WORD_RULES: Readonly<Record<string, Rule>> = { 'banned-words': bannedWords }

/** The violations of every rule of this file. */
export function checkWords(tree: Tree): Violation[] {
  return Object.values(WORD_RULES).flatMap((rule) => rule(tree))
}
