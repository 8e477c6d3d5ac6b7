// Rules for style sheets: one scale of type, and figures of equal width.

import type { Rule, Tree } from './tree.ts'

const SCALE = 'console/ui/scale.css'
const BASE = 'console/ui/base.css'

interface Declaration {
  readonly path: string
  readonly line: number
  readonly name: string
  readonly value: string
}

/** The declarations of these properties in the console's style sheets. */
function declarations(tree: Tree, names: string): readonly Declaration[] {
  const pattern = new RegExp(`(?:^|[{;\\s])(${names})\\s*:\\s*([^;}]+)`, 'g')
  return [...tree].filter(([path]) => path.startsWith('console/') && path.endsWith('.css')).flatMap(([path, source]) =>
    withoutComments(source).split('\n').flatMap((text, index) =>
      [...text.matchAll(pattern)].map(([, name = '', value = '']): Declaration => ({ path, line: index + 1, name, value: value.trim() }))))
}

/** Keeps the number of lines. */
function withoutComments(source: string): string {
  return source.replaceAll(/\/\*[^]*?\*\//g, (comment) => comment.replaceAll(/[^\n]/g, ' '))
}

const typeScale: Rule = (tree) => {
  const sizes = new Set([...(tree.get(SCALE) ?? '').matchAll(/(--type-\w+)\s*:/g)].map(([, name = '']) => `var(${name})`))
  return declarations(tree, 'font|font-size').filter(({ value }) => value !== 'inherit' && !sizes.has(value))
    .map(({ path, line, name, value }) => ({ rule: 'type-scale', path, line, message: `${name}: ${value} is not on the scale of ${SCALE}: use var(--type-…)` }))
}

/** The body sets it, and form fields inherit it explicitly. A value elsewhere would switch it off. */
const tabularFigures: Rule = (tree) => {
  const all = declarations(tree, 'font-variant|font-variant-numeric|font-feature-settings')
  const isAllowed = ({ path, name, value }: Declaration): boolean =>
    name === 'font-variant-numeric' && (value === 'inherit' || (path === BASE && value === 'tabular-nums'))
  const changed = all.filter((declaration) => !isAllowed(declaration))
  const isSet = !tree.has(BASE) || all.some(({ path, value }) => path === BASE && value === 'tabular-nums')
  return [
    ...changed.map(({ path, line, name, value }) => ({ rule: 'tabular-figures', path, line, message: `${name}: ${value} changes the width of figures` })),
    ...(isSet ? [] : [{ rule: 'tabular-figures', path: BASE, line: 1, message: 'set font-variant-numeric: tabular-nums on the body' }]),
  ]
}

export const STYLE_RULES: Readonly<Record<string, Rule>> = { 'type-scale': typeScale, 'tabular-figures': tabularFigures }
