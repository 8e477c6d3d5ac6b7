// One-line bugs that can be planted in a source text: what people get wrong, and types do not see.

import ts from 'typescript5'
import { parse, walk } from '../tidy/syntax.ts'

/** A replacement of source[start, end) by `text`. */
export interface Mutation {
  readonly start: number
  readonly end: number
  readonly original: string
  readonly text: string
}

/** The opposite condition, the neighbouring bound, the other operation. */
const OPERATORS: Readonly<Record<string, readonly string[]>> = {
  '===': ['!=='], '!==': ['==='], '&&': ['||'], '||': ['&&'], '+': ['-'], '-': ['+'], '*': ['/'], '/': ['*'],
  '<': ['>=', '<='], '<=': ['>', '<'], '>': ['<=', '>='], '>=': ['<', '>'],
}

const SQL_TOKENS: Readonly<Record<string, string>> = {
  '<': '<=', '<=': '<', '>': '>=', '>=': '>', '+': '-', '-': '+', and: 'or', or: 'and', desc: 'asc', least: 'greatest', greatest: 'least',
}
const SQL_STATEMENT = /\b(?:select\s|insert into\s|update\s+\S+\s+set\s|delete from\s)/
const SQL_TOKEN = /(?<=\s)(?:(?:<=|>=|<|>|\+|-|and|or)(?=\s)|desc\b)|\b(?:least|greatest)(?=\()/g

/** Every mutation of a source text, in order. Types, imports and log lines are left alone: nothing that runs for a user depends on them. */
export function findMutations(source: string): Mutation[] {
  const file = parse(source)
  const found: Mutation[] = []
  const addRange = (start: number, end: number, text: string): void => void found.push({ start, end, original: source.slice(start, end), text })
  const add = (node: ts.Node, text: string): void => addRange(node.getStart(file), node.end, text)
  walk(file, (node) => {
    if (ts.isBinaryExpression(node) && !isText(node)) {
      for (const text of OPERATORS[node.operatorToken.getText(file)] ?? []) add(node.operatorToken, text)
    }
    if (ts.isPrefixUnaryExpression(node) && node.operator === ts.SyntaxKind.ExclamationToken) add(node, node.operand.getText(file))
    if ((node.kind === ts.SyntaxKind.TrueKeyword || node.kind === ts.SyntaxKind.FalseKeyword) && !ts.isLiteralTypeNode(node.parent)) {
      add(node, node.kind === ts.SyntaxKind.TrueKeyword ? 'false' : 'true')
    }
    if (ts.isIfStatement(node) && isPlainCondition(node.expression)) add(node.expression, `!(${node.expression.getText(file)})`)
    if (ts.isPropertyAccessExpression(node) && ts.isIdentifier(node.expression) && node.expression.text === 'Math') {
      if (node.name.text === 'min') add(node.name, 'max')
      if (node.name.text === 'max') add(node.name, 'min')
    }
    if (ts.isExpressionStatement(node) && isCallStatement(node.expression) && !isLogCall(node.expression, file)) add(node, 'void 0')
    if (isSql(node, source, file)) {
      const start = node.getStart(file)
      for (const token of source.slice(start, node.end).matchAll(SQL_TOKEN)) {
        addRange(start + token.index, start + token.index + token[0].length, SQL_TOKENS[token[0]] ?? token[0])
      }
    }
  })
  return found
}

/** A condition without an operator of its own, which would be mutated itself. */
function isPlainCondition(condition: ts.Expression): boolean {
  return ts.isCallExpression(condition) || ts.isIdentifier(condition) || ts.isPropertyAccessExpression(condition) || ts.isAwaitExpression(condition)
}

function isCallStatement(expression: ts.Expression): boolean {
  return ts.isCallExpression(expression) || (ts.isAwaitExpression(expression) && ts.isCallExpression(expression.expression))
}

/** Texts joined by `+` read wrong at once when the operator changes; numbers are what matters. */
function isText({ left, right }: ts.BinaryExpression): boolean {
  return [left, right].some((side) => ts.isStringLiteralLike(side) || ts.isTemplateExpression(side))
}

/** The whole of a literal, or one of the texts between the substitutions of a template whose text is a statement. */
function isSql(node: ts.Node, source: string, file: ts.SourceFile): boolean {
  const isPart = ts.isStringLiteralLike(node) || ts.isTemplateHead(node) || ts.isTemplateMiddle(node) || ts.isTemplateTail(node)
  if (!isPart) return false
  const template = ts.isTemplateHead(node) ? node.parent : ts.isTemplateMiddle(node) || ts.isTemplateTail(node) ? node.parent.parent : node
  return SQL_STATEMENT.test(source.slice(template.getStart(file), template.end))
}

function isLogCall(expression: ts.Expression, file: ts.SourceFile): boolean {
  return ts.isCallExpression(expression) && /\blog\.(?:trace|debug|info|warn|error)$/.test(expression.expression.getText(file))
}
