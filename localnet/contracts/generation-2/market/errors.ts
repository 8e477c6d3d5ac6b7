// The error codes of the generation-2 market by name.

import { SHARED_ERRORS } from '../errors.ts'

type ErrorName = (typeof SHARED_ERRORS)[keyof typeof SHARED_ERRORS]

const codes = Object.entries(SHARED_ERRORS).map(([code, name]) => [name, Number(code)] as const)

export const ERRORS = Object.fromEntries(codes) as Readonly<Record<ErrorName, number>>
