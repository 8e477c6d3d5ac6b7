// Rules for documentation: Markdown, decision pages, and paths or hosts of one machine.

import { resolveRelative } from './graph.ts'
import type { Rule, Tree, Violation } from './tree.ts'

/** A line of Markdown outside fenced blocks. */
interface Line {
  readonly text: string
  readonly line: number
}

/** The lines of a Markdown text outside fenced blocks. */
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
    if (!/^# \S/.test(source)) return [{ rule: 'markdown-title', path, line: 1, message: 'start the page with a title (`# …`)' }]
    return titles.slice(1).map(({ line }) => ({ rule: 'markdown-title', path, line, message: 'a second title; use `##`' }))
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
      const violation = (message: string): Violation[] => [{ rule: 'markdown-links', path, line, message }]
      if (found === null || target.startsWith('/')) return violation(`${target} is outside the project`)
      if (!tree.has(found) && !folders.has(found)) return violation(`${target}: ${found} does not exist`)
      if (anchor === undefined || anchor === '' || !found.endsWith('.md')) return []
      return anchors(tree.get(found) ?? '').has(anchor) ? [] : violation(`${target}: ${found} has no such heading`)
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

/** Paths of one machine, and hosts of package registries. The words are in parts so that this file passes the rule. */
const MACHINE_PATHS = new RegExp(
  [
    `(?<![\\w.~*$}/-])/(?:${['home', 'root', 'Users', 'work', 'workspace', 'mnt'].join('|')})/[\\w.-]`,
    '\\b[A-Z]:\\\\\\\\?(?:Users|work)', '\\bregistry\\.(?:npmjs|yarnpkg)', '\\bnpm\\.pkg\\.', '\\bverdaccio\\s', '\\bartifactory\\s',
    // A workspace resolves to its folder.
    '"resolved"\\s*:\\s*"(?!(?:client|localnet)")',
  ].join('|'),
  'i',
)

const machinePaths: Rule = (tree) => {
  const violations: Violation[] = []
  for (const [path, source] of tree) {
    source.split('\n').forEach((text, index) => {
      const found = MACHINE_PATHS.exec(text)?.[0]
      if (found !== undefined) violations.push({ rule: 'machine-paths', path, line: index + 1, message: `${found} is valid on one machine only; remove it` })
    })
  }
  return violations
}

const TEXT_MARKS = /\b(?:TODO|FIXME|TBD|XXX)\b/

const unfinishedText: Rule = (tree) =>
  markdownFiles(tree).flatMap(([path, source]) =>
    prose(source).flatMap(({ text, line }) => {
      const mark = TEXT_MARKS.exec(text.replaceAll(/`[^`]*`/g, ''))?.[0]
      return mark === undefined ? [] : [{ rule: 'unfinished-text', path, line, message: `${mark}: finish the page; describe only what exists` }]
    }),
  )

const DECISIONS = 'docs/decisions/'
const DECISIONS_INDEX = `${DECISIONS}README.md`
const DECISION_MAX_LINES = 80

const decisionPages: Rule = (tree) => {
  const pages = markdownFiles(tree).filter(([path]) => path.startsWith(DECISIONS) && path !== DECISIONS_INDEX)
  const index = tree.get(DECISIONS_INDEX)
  const noIndex = { rule: 'decision-pages', path: DECISIONS_INDEX, line: 1, message: 'create this index of the decision pages' }
  if (index === undefined) return pages.length === 0 ? [] : [noIndex]
  const listed = new Map(links(index).map(({ target, line }) => [resolveRelative(DECISIONS_INDEX, target), line]))
  return pages.flatMap(([path, source]): Violation[] => {
    const lines = source.split('\n').length - 1
    const long = { rule: 'decision-pages', path, line: DECISION_MAX_LINES, message: `${lines} lines (maximum ${DECISION_MAX_LINES}); shorten the page` }
    const unlisted = { rule: 'decision-pages', path, line: 1, message: `list this page in ${DECISIONS_INDEX}` }
    return [...(lines > DECISION_MAX_LINES ? [long] : []), ...(listed.has(path) ? [] : [unlisted])]
  })
}

/** The rules of this file by name. */
export const TEXT_RULES: Readonly<Record<string, Rule>> = {
  'markdown-title': markdownTitle,
  'markdown-links': markdownLinks,
  'machine-paths': machinePaths,
  'unfinished-text': unfinishedText,
  'decision-pages': decisionPages,
}

/** The violations of all rules of this file. */
export function checkTexts(tree: Tree): Violation[] {
  return Object.values(TEXT_RULES).flatMap((rule) => rule(tree))
}
