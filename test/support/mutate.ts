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

const OPERATORS: Readonly<Record<string, string>> = {
  '===': '!==', '!==': '===', '<': '>=', '<=': '>', '>': '<=', '>=': '<', '&&': '||', '||': '&&', '+': '-', '-': '+', '*': '/', '/': '*',
}

/** Every mutation of a source text, in order. Types, imports and log lines are left alone: nothing that runs for a user depends on them. */
export function findMutations(source: string): Mutation[] {
  const file = parse(source)
  const found: Mutation[] = []
  const add = (node: ts.Node, text: string): void => {
    const start = node.getStart(file)
    found.push({ start, end: node.end, original: source.slice(start, node.end), text })
  }
  walk(file, (node) => {
    if (ts.isBinaryExpression(node) && !isText(node)) {
      const swapped = OPERATORS[node.operatorToken.getText(file)]
      if (swapped !== undefined) add(node.operatorToken, swapped)
    }
    if (ts.isPrefixUnaryExpression(node) && node.operator === ts.SyntaxKind.ExclamationToken) add(node, node.operand.getText(file))
    if ((node.kind === ts.SyntaxKind.TrueKeyword || node.kind === ts.SyntaxKind.FalseKeyword) && !ts.isLiteralTypeNode(node.parent)) {
      add(node, node.kind === ts.SyntaxKind.TrueKeyword ? 'false' : 'true')
    }
    if (ts.isExpressionStatement(node) && ts.isCallExpression(node.expression) && !isLogCall(node.expression, file)) add(node, 'void 0')
  })
  return found
}

/** Texts joined by `+` read wrong at once when the operator changes; numbers are what matters. */
function isText({ left, right }: ts.BinaryExpression): boolean {
  return [left, right].some((side) => ts.isStringLiteralLike(side) || ts.isTemplateExpression(side))
}

function isLogCall(call: ts.CallExpression, file: ts.SourceFile): boolean {
  return /\blog\.(?:trace|debug|info|warn|error)$/.test(call.expression.getText(file))
}
