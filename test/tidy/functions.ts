// The functions of a source text and how long they are.

import ts from 'typescript5'
import { lineAt, parse } from './syntax.ts'

export interface FunctionLength {
  /** The line on which the function begins, from 1. */
  readonly line: number
  readonly endLine: number
  /** All its lines, those of the functions inside it included. */
  readonly lines: number
  /** Its lines without those of the functions inside it, which count for themselves. */
  readonly ownLines: number
}

/** All functions whose body is a block, in source order. */
export function findFunctions(source: string): FunctionLength[] {
  const file = parse(source)
  const found: FunctionLength[] = []

  /** Reports the functions below `node` and returns how many lines the outermost of them take from the function around them. */
  function visit(node: ts.Node): number {
    if (!ts.isFunctionLike(node) || !('body' in node) || node.body === undefined || !ts.isBlock(node.body)) return visitChildren(node)
    const at = found.length
    const innerLines = visitChildren(node)
    const line = lineAt(file, node.getStart(file))
    const endLine = lineAt(file, node.end)
    found.splice(at, 0, { line, endLine, lines: endLine - line + 1, ownLines: endLine - line + 1 - innerLines })
    return endLine - line
  }

  function visitChildren(node: ts.Node): number {
    let innerLines = 0
    ts.forEachChild(node, (child) => {
      innerLines += visit(child)
    })
    return innerLines
  }

  visit(file)
  return found
}
