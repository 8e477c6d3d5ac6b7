// Every way in which a source text refers to another module.

import ts from 'typescript5'
import { lineAt, parse, walk } from './syntax.ts'

type ImportForm = 'static' | 'type' | 'side-effect' | 're-export' | 'type re-export' | 'dynamic' | 'require' | 'url' | 'reference'

/** One reference to another module. */
export interface ImportReference {
  /** Null when it is computed at run time. */
  readonly specifier: string | null
  readonly form: ImportForm
  /** From 1. */
  readonly line: number
}

/** True when nothing of the imported module remains at run time. */
export function isTypeOnly(reference: ImportReference): boolean {
  return reference.form === 'type' || reference.form === 'type re-export' || reference.form === 'reference'
}

/** All references of a source text, in source order. */
export function findImports(source: string): ImportReference[] {
  const file = parse(source)
  const found: ImportReference[] = [...file.referencedFiles, ...file.typeReferenceDirectives].map(
    ({ fileName, pos }) => ({ specifier: fileName, form: 'reference', line: lineAt(file, pos) }),
  )
  walk(file, (node) => {
    const reference = referenceOf(node)
    if (reference !== undefined) found.push({ ...reference, line: lineAt(file, node.getStart(file)) })
  })
  return found.sort((a, b) => a.line - b.line)
}

function referenceOf(node: ts.Node): Omit<ImportReference, 'line'> | undefined {
  if (ts.isImportDeclaration(node)) return { specifier: textOf(node.moduleSpecifier), form: importForm(node.importClause) }
  if (ts.isExportDeclaration(node) && node.moduleSpecifier !== undefined) {
    return { specifier: textOf(node.moduleSpecifier), form: node.isTypeOnly || isTypeOnlyList(node.exportClause) ? 'type re-export' : 're-export' }
  }
  if (ts.isImportTypeNode(node)) return { specifier: ts.isLiteralTypeNode(node.argument) ? textOf(node.argument.literal) : null, form: 'type' }
  if (ts.isExternalModuleReference(node)) return { specifier: textOf(node.expression), form: 'require' }
  if (ts.isCallExpression(node)) return callReference(node)
  if (ts.isNewExpression(node)) return workerUrl(node)
  return undefined
}

function importForm(clause: ts.ImportClause | undefined): ImportForm {
  if (clause === undefined) return 'side-effect'
  return clause.isTypeOnly || (clause.name === undefined && isTypeOnlyList(clause.namedBindings)) ? 'type' : 'static'
}

/** Braces in which every name is marked `type`. Empty braces import the module for its effects. */
function isTypeOnlyList(list: ts.NamedImportBindings | ts.NamedExportBindings | undefined): boolean {
  if (list === undefined || !(ts.isNamedImports(list) || ts.isNamedExports(list))) return false
  return list.elements.length > 0 && list.elements.every((element) => element.isTypeOnly)
}

const REQUIRES: ReadonlySet<string> = new Set(['require', 'createRequire', 'getBuiltinModule'])

function callReference({ expression, arguments: [first] }: ts.CallExpression): Omit<ImportReference, 'line'> | undefined {
  const specifier = textOf(first)
  if (expression.kind === ts.SyntaxKind.ImportKeyword) return { specifier, form: 'dynamic' }
  const name = ts.isPropertyAccessExpression(expression) ? expression.name.text : expression.getText()
  if (REQUIRES.has(name)) return { specifier, form: 'require' }
  return expression.getText() === 'import.meta.resolve' && specifier !== null ? { specifier, form: 'url' } : undefined
}

/** `new URL('./x.ts', import.meta.url)` names the file of a worker. Folders and other data are not modules. */
function workerUrl({ expression, arguments: parameters = ts.factory.createNodeArray() }: ts.NewExpression): Omit<ImportReference, 'line'> | undefined {
  const [first, base] = parameters
  const specifier = textOf(first)
  if (expression.getText() !== 'URL' || base?.getText() !== 'import.meta.url' || specifier === null) return undefined
  return /\.(?:[cm]?[jt]s|json)$/.test(specifier) ? { specifier, form: 'url' } : undefined
}

function textOf(node: ts.Node | undefined): string | null {
  return node !== undefined && ts.isStringLiteralLike(node) ? node.text : null
}
