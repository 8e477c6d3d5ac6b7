// The rules for what people read: markdown, decision pages, and words that have no place in the project.

import { resolveRelative } from './graph.ts'
import type { Rule, Tree, Violation } from './tree.ts'

/** A line of markdown outside fenced blocks. */
interface Line {
  readonly text: string
  readonly line: number
}

/** The lines of a markdown text that are not inside a fenced block. */
function prose(source: string): Line[] {
  let fence: string | undefined
  return source.split('\n').flatMap((text, index) => {
    const mark = /^\s*(```+|~~~+)/.exec(text)?.[1]
    if (mark !== undefined && (fence === undefined || mark.startsWith(fence))) {
      fence = fence === undefined ? mark : undefined
      return []
    }
    return fence === undefined ? [{ text, line: index + 1 }] : []
  })
}

function markdownFiles(tree: Tree): [path: string, source: string][] {
  return [...tree].filter(([path]) => path.endsWith('.md'))
}

const markdownTitle: Rule = (tree) =>
  markdownFiles(tree).flatMap(([path, source]) => {
    const titles = prose(source).filter(({ text }) => /^# \S/.test(text))
    if (!/^# \S/.test(source)) return [{ rule: 'markdown-title', path, line: 1, message: 'the first line is not a title (`# …`)' }]
    return titles.slice(1).map(({ line }) => ({ rule: 'markdown-title', path, line, message: 'a second title' }))
  })

/** Every `[text](target)` outside code, images included. */
function links(source: string): { target: string; line: number }[] {
  return prose(source).flatMap(({ text, line }) => {
    const outsideCode = text.replaceAll(/`[^`]*`/g, '')
    const inline = [...outsideCode.matchAll(/\]\(\s*<?([^)\s>]+)>?(?:\s+"[^"]*")?\s*\)/g)]
    const defined = [...outsideCode.matchAll(/^\s*\[[^\]]+\]:\s*(\S+)/g)]
    return [...inline, ...defined].map((match) => ({ target: match[1] ?? '', line }))
  })
}

const markdownLinks: Rule = (tree) => {
  const folders = new Set([...tree.keys()].flatMap((path) => parents(path)))
  return markdownFiles(tree).flatMap(([path, source]) =>
    links(source).flatMap(({ target, line }): Violation[] => {
      if (/^[a-z][a-z0-9+.-]*:/i.test(target)) return []
      const [file = '', anchor] = target.split('#')
      const found = file === '' ? path : resolveRelative(path, decodeURIComponent(file))
      const says = (message: string): Violation[] => [{ rule: 'markdown-links', path, line, message }]
      if (found === null || target.startsWith('/')) return says(`${target} leaves the project`)
      if (!tree.has(found) && !folders.has(found)) return says(`${target}: there is no ${found}`)
      if (anchor === undefined || anchor === '' || !found.endsWith('.md')) return []
      return anchors(tree.get(found) ?? '').has(anchor) ? [] : says(`${target}: ${found} has no such heading`)
    }),
  )
}

function parents(path: string): string[] {
  const parts = path.split('/').slice(0, -1)
  return parts.map((_part, index) => parts.slice(0, index + 1).join('/'))
}

/** The anchors of a page's headings, as the common renderers make them. */
function anchors(source: string): ReadonlySet<string> {
  const found = new Set<string>()
  for (const { text } of prose(source)) {
    const heading = /^#+\s+(.*?)\s*#*$/.exec(text)?.[1]
    if (heading === undefined) continue
    const base = heading.toLowerCase().replaceAll(/[^\p{L}\p{N}\s_-]/gu, '').trim().replaceAll(/\s/g, '-')
    let anchor = base
    for (let count = 1; found.has(anchor); count++) anchor = `${base}-${count}`
    found.add(anchor)
  }
  return found
}

/** Paths of one machine and hosts that packages came from: true nowhere else. Written apart, so that this file passes its own rule. */
const MACHINE_WORDS = new RegExp(
  [
    `(?<![\\w.~*$}/-])/(?:${['home', 'root', 'Users', 'work', 'workspace', 'mnt'].join('|')})/[\\w.-]`,
    '\\b[A-Z]:\\\\\\\\?(?:Users|work)', '\\bregistry\\.(?:npmjs|yarnpkg)', '\\bnpm\\.pkg\\.', '\\bverdaccio\\s', '\\bartifactory\\s',
    // A workspace is resolved to its own folder, everywhere.
    '"resolved"\\s*:\\s*"(?!(?:client|localnet)")',
  ].join('|'),
  'i',
)

const machineWords: Rule = (tree) => {
  const violations: Violation[] = []
  for (const [path, source] of tree) {
    source.split('\n').forEach((text, index) => {
      const word = MACHINE_WORDS.exec(text)?.[0]
      if (word !== undefined) violations.push({ rule: 'machine-words', path, line: index + 1, message: `${word} is true on one machine only` })
    })
  }
  return violations
}

const TEXT_MARKS = /\b(?:TODO|FIXME|TBD|XXX)\b/

const unfinishedText: Rule = (tree) =>
  markdownFiles(tree).flatMap(([path, source]) =>
    prose(source).flatMap(({ text, line }) => {
      const mark = TEXT_MARKS.exec(text.replaceAll(/`[^`]*`/g, ''))?.[0]
      return mark === undefined ? [] : [{ rule: 'unfinished-text', path, line, message: `${mark}: a page says what is, not what will be` }]
    }),
  )

const DECISIONS = 'docs/decisions/'
const DECISIONS_INDEX = `${DECISIONS}README.md`
const DECISION_MAX_LINES = 80

const decisionPages: Rule = (tree) => {
  const pages = markdownFiles(tree).filter(([path]) => path.startsWith(DECISIONS) && path !== DECISIONS_INDEX)
  const index = tree.get(DECISIONS_INDEX)
  if (index === undefined) return pages.length === 0 ? [] : [{ rule: 'decision-pages', path: DECISIONS_INDEX, line: 1, message: 'there is no index' }]
  const listed = new Map(links(index).map(({ target, line }) => [resolveRelative(DECISIONS_INDEX, target), line]))
  return pages.flatMap(([path, source]): Violation[] => {
    const lines = source.split('\n').length - 1
    const long = { rule: 'decision-pages', path, line: DECISION_MAX_LINES, message: `${lines} lines (${DECISION_MAX_LINES} at most)` }
    const unlisted = { rule: 'decision-pages', path, line: 1, message: `${DECISIONS_INDEX} does not list it` }
    return [...(lines > DECISION_MAX_LINES ? [long] : []), ...(listed.has(path) ? [] : [unlisted])]
  })
}

/** Every rule of this file by its name. */
export const TEXT_RULES: Readonly<Record<string, Rule>> = {
  'markdown-title': markdownTitle,
  'markdown-links': markdownLinks,
  'machine-words': machineWords,
  'unfinished-text': unfinishedText,
  'decision-pages': decisionPages,
}

/** What every rule of this file says of a tree. */
export function checkTexts(tree: Tree): Violation[] {
  return Object.values(TEXT_RULES).flatMap((rule) => rule(tree))
}
