// The error codes of the generation-2 market by name.

import { SHARED_ERRORS_2 } from '../errors.ts'

type ErrorName = (typeof SHARED_ERRORS_2)[keyof typeof SHARED_ERRORS_2]

const codes = Object.entries(SHARED_ERRORS_2).map(([code, name]) => [name, Number(code)] as const)

export const ERRORS_2 = Object.fromEntries(codes) as Readonly<Record<ErrorName, number>>
